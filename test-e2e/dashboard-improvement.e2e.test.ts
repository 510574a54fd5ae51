import { eventually } from '@ratchet/testing/eventually'
import type { Browser, Page } from 'playwright-core'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { untilInForce } from './alias-propagation.ts'
import { pressControl } from './browser/keys.ts'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { openaiFor } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type AskingProgram, keepAsking } from './improvement/keep-asking.ts'
import {
  adoptAsCanary,
  compareOnDataset,
  createAlias,
  createDataset,
  createJudge,
  gradeDrawn,
  openCanary,
  openVersion,
  proveJudge,
  scanTraffic,
  trainOnDataset,
} from './improvement/steps-by-keys.ts'
import { type Api, apiOf, type Json } from './judged-traffic.ts'
import { choose } from './workspace-with.ts'

/* The whole circle by keyboard: a person in the dashboard makes a better model of what an alias answered, and lets it take its place. */

const alias = 'support'
const judge = 'Sound'
/** Of ten answers of this model three are wrong. */
const base = 'sim/small'
const title = `support, from ${base}`

let fleet: Fleet
let browser: Browser
let visitor: Visitor
let page: Page
let api: Api
let program: AskingProgram | undefined

beforeAll(async () => {
  const env = {
    ABUSE_GUARD_LIMIT: '1000',
    SIM_JOB_MS: '500',
    MONITOR_EVERY_MS: '500',
    MONITOR_INGEST_LAG_MS: '300',
    GATE_EVERY_MS: '500',
    GATE_INGEST_LAG_MS: '300',
    GATE_PROMOTE_AFTER_HOURS: '0',
    GATE_GRADES_PER_ARM: '20',
  }
  const services = { judges: true, evals: true, training: true, dashboard: true }
  ;[fleet, browser] = await Promise.all([
    startFleet({ ...services, env, workspace: { balanceUsd: '200' } }),
    openBrowser(),
  ])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  api = apiOf(fleet, fleet.workspace)
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
  await page.emulateMedia({ reducedMotion: 'reduce' })
}, 300_000)
afterAll(async () => {
  await program?.stop()
  await browser?.close()
  await fleet?.stop()
}, 180_000)

const read = async (path: string): Promise<Json> => (await api('GET', path)).json
const gateNow = () => read(`/aliases/${alias}/gate`)

/** Waits until the alias has answered so many questions since a time. */
async function untilAsked(count: number, since = new Date(0)): Promise<void> {
  const path = `/logs?alias=${alias}&start=${since.toISOString()}&content=none&limit=1`
  await eventually(async () => (await read(path)).total >= count, { withinMs: 120_000, everyMs: 500 })
}

/** Grades what the gate asks for, until it has promoted the canary. */
async function gradeUntilPromoted(): Promise<void> {
  await eventually(async () => (await gateNow()).state === 'healthy', { withinMs: 90_000, everyMs: 300 })
  for (let draw = 0; draw < 20 && (await gateNow()).state !== 'promoted'; draw += 1) {
    const isDrawn = (await page.getByRole('button', { name: 'Draw more' }).count()) > 0
    await gradeDrawn(page, isDrawn ? /^Draw more/ : /^Draw answers to grade/)
  }
  await eventually(async () => (await gateNow()).state === 'promoted', { withinMs: 60_000, everyMs: 300 })
  await page
    .getByText(/promoted/)
    .first()
    .waitFor()
}

it('leads from traffic to a promoted model by keyboard, and the program that asks the alias notices nothing', async () => {
  const pointers: string[] = []
  await page.context().exposeBinding('notePointer', (_source, where: string) => void pointers.push(where))
  await page.evaluate(`addEventListener('pointerdown', () => notePointer(location.pathname), true)`)
  await createAlias(page, { name: alias, target: base, margin: 15 })
  await untilInForce(api, alias)
  program = keepAsking(openaiFor(fleet), alias)
  await createJudge(page, judge)
  await untilAsked(300)
  await proveJudge(page, judge, 20)
  await scanTraffic(page)
  await createDataset(page, { name: 'right', judge })
  const since = new Date(Math.ceil(Date.now() / 60_000) * 60_000)
  await trainOnDataset(page, { model: base, suffix: 'support' })
  const version = await read(`/model_versions/${page.url().split('/').at(-1)}`)
  await untilAsked(260, since)
  await createDataset(page, { name: 'asked since', since })
  await compareOnDataset(page, { baseline: base, candidate: version.model_id, judge })
  await openVersion(page, title)
  expect(new Set(program.answers.map(({ served }) => served))).toEqual(new Set([base]))
  await adoptAsCanary(page, { alias, judge })
  await openCanary(page, alias)
  await gradeUntilPromoted()
  await eventually(() => program?.answers.at(-1)?.served === version.model_id, { withinMs: 15_000 })
  expect(await program.stop()).toEqual([])
  expect(new Set(program.answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(program.answers.map(({ served }) => served))).toEqual(new Set([base, version.model_id]))
  await openVersion(page, title)
  const picture = page.getByRole('img', { name: /^Lineage of the version/ })
  // What was read before the promotion is shown until it is read again.
  const sentence = await eventually(
    async () => {
      const label = (await picture.getAttribute('aria-label')) ?? ''
      for (const part of ['1 version', '1 job', '1 checkpoint', '2 dataset', '1 eval', '1 adoption', '1 promotion']) {
        expect(label).toContain(part)
      }
      return label
    },
    { withinMs: 15_000, everyMs: 200 },
  )
  await pressControl(page, /^Show the numbers/)
  const kinds = page.getByRole('table', { name: sentence }).locator('tbody tr > :first-child')
  expect(await kinds.allTextContents()).toEqual(
    expect.arrayContaining(['log', 'dataset', 'job', 'checkpoint', 'version', 'eval', 'adoption', 'promotion']),
  )
  expect(pointers).toEqual([])
  expect(await visitor.accessibilityProblems()).toEqual([])
  expect(visitor.complaints).toEqual([])
  expect(await adminAudit(fleet, [fleet.workspace])).toEqual(cleanAudit)
}, 600_000)

import { copyFileSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { demoScript } from '../browser/demo-script.ts'
import { openBrowser, visit } from '../browser/open-browser.ts'
import { type RoundPerson, shownItem, visitRounds } from '../browser/round-steps.ts'
import { scriptedPages } from '../browser/scripted-pages.ts'
import { type Fleet, startFleet } from '../fleet.ts'
import { choose } from '../workspace-with.ts'
import { type FilledWorkspace, fillWorkspace } from './fill-workspace.ts'

/* Pictures of the pages of a running fleet. `npm run screenshots` runs this file. */

const folder = process.env.SCREENSHOTS ?? ''
const readmeFolder = process.env.README_SCREENSHOTS ?? ''
/** The README shows these, by their names without the look. */
const ofReadme: readonly string[] = ['home-light.png', 'grading-light.png', 'canary-dark.png']
/** Of the pictures in the repository together. */
const maxBytes = 400_000

const wide = { width: 1280, height: 800 }
const looks = [
  ['light', { colorScheme: 'light', viewport: wide }],
  ['dark', { colorScheme: 'dark', viewport: wide }],
  ['phone', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
] as const

let fleet: Fleet
let browser: Browser
let owner: RoundPerson
let filled: FilledWorkspace

beforeAll(async () => {
  const env = { GATE_EVERY_MS: '300', GATE_INGEST_LAG_MS: '300', ABUSE_GUARD_LIMIT: '10000' }
  const services = { dashboard: true, judges: true, evals: true, aliases: true }
  const workspace = { slug: 'acme', balanceUsd: '50.00' }
  ;[fleet, browser] = await Promise.all([startFleet({ ...services, workspace, env }), openBrowser()])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  owner = await visitRounds(fleet, browser, fleet.workspace)
  filled = await fillWorkspace(fleet, owner)
}, 600_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 60_000)

const pages: readonly (readonly [name: string, address: (filled: FilledWorkspace) => string])[] = [
  ['home', () => ''],
  ['grading', ({ roundId }) => `/review/${roundId}`],
  ['judge', ({ judgeId }) => `/judges/${judgeId}`],
  ['canary', ({ alias }) => `/aliases/${alias}/canary`],
  ['billing', () => '/billing'],
  ['logs', () => '/logs'],
  ['judges', () => '/judges'],
  ['aliases', () => '/aliases'],
  ['usage', () => '/billing/usage'],
  ['statement', () => '/billing/statements'],
  ['review', () => '/review'],
  ['failures', () => '/logs/failures'],
  ['trace', ({ traceId }) => `/traces/${traceId}`],
]

it('takes a picture of sign-in', async () => {
  const { page, close } = await visit(browser, fleet.url.replace('127.0.0.1', 'localhost'))
  await page.goto('/sign-in')
  await page.getByRole('textbox', { name: 'E-mail' }).waitFor()
  await take(page, 'sign-in')
  await close()
}, 120_000)

it.each(pages)(
  'takes pictures of %s',
  async (name, address) => {
    const { page } = owner
    await page.goto(`/w/${fleet.workspace.slug}${address(filled)}`)
    await (name === 'grading' ? shownItem(page) : page.locator('h1').first()).waitFor()
    await page.locator('main:not(:has([aria-busy="true"]))').waitFor()
    if (name === 'trace') await openStep(page)
    await take(page, name)
  },
  120_000,
)

/** The first step of a run, with its content. */
async function openStep(page: Page): Promise<void> {
  await page.keyboard.press('j')
  await page.locator('[data-role="assistant"]').first().waitFor()
}

it('takes pictures of an answer that is drawn for the gate of a canary', async () => {
  const { page } = owner
  await page.setViewportSize(wide)
  await page.goto(`/w/${fleet.workspace.slug}/aliases/${filled.alias}/canary`)
  await page.getByRole('button', { name: 'Draw answers to grade' }).click()
  await page.getByRole('button', { name: 'Grade them' }).click()
  await page.getByRole('dialog').getByRole('button', { name: /^Pass/ }).waitFor()
  await take(page, 'drawn-answer')
}, 120_000)

/** What no fleet of this file can run. */
const training: readonly (readonly [name: string, path: string])[] = [
  ['training-jobs', 'jobs'],
  ['training-job', 'jobs/ftjob-1'],
  ['training-run', 'runs/grpo_1'],
  ['training-round', 'raft/raft_1'],
  ['training-tool', 'tools/tool_1'],
  ['training-version', 'versions/mv_1'],
  ['training-endpoints', 'endpoints'],
  ['training-endpoint', 'endpoints/dep_1'],
  ['training-new-endpoint', 'endpoints/new'],
]

it.each(training)(
  'takes pictures of %s, with scripted replies',
  async (name, path) => {
    const pages = scriptedPages()
    await pages.start()
    const { visitor } = await pages.open(`/w/demo/training/${path}`, { script: demoScript })
    await visitor.page.locator('h1').first().waitFor()
    await visitor.page.locator('main:not(:has([aria-busy="true"]))').waitFor()
    await take(visitor.page, name)
    await pages.close()
    await pages.stop()
  },
  120_000,
)

it('has small pictures for the README', () => {
  mkdirSync(readmeFolder, { recursive: true })
  for (const name of ofReadme) copyFileSync(path.join(folder, name), path.join(readmeFolder, name))
  const bytes = ofReadme.map((name) => statSync(path.join(folder, name)).size)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(maxBytes)
})

/** Takes a picture of the page in each look, from its top. */
async function take(page: Page, name: string): Promise<void> {
  for (const [look, { colorScheme, viewport }] of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize(viewport)
    await page.evaluate('scrollTo(0, 0)')
    // Pictures follow the size of the page a frame later.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))')
    await page.screenshot({ path: path.join(folder, `${name}-${look}.png`), animations: 'disabled' })
  }
}

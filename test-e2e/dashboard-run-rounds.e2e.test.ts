import { parseUsd } from '@ratchet/contracts/money'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { topUp } from '@ratchet/db/top-up'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import type { Browser } from 'playwright-core'
import { agentRun, importRuns } from './agent-runs.ts'
import { openBrowser } from './browser/open-browser.ts'
import {
  batchCard,
  gradeByKey,
  importExchanges,
  isInOrder,
  type RoundPerson,
  shownItem,
  truthOf,
  visitRounds,
} from './browser/round-steps.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, createJudge, type Json } from './judged-traffic.ts'
import { choose } from './workspace-with.ts'

/* Rounds of agent runs, and rounds that wait for money, against a real fleet. An answer is wrong if it contains `(flawed)`. */

let fleet: Fleet
let browser: Browser
let pool: Pool
let api: Api
let owner: RoundPerson

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([startFleet({ dashboard: true, judges: true }), openBrowser()])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  api = apiOf(fleet, fleet.workspace)
  owner = await visitRounds(fleet, browser, fleet.workspace)
}, 300_000)
afterAll(async () => {
  await pool?.end()
  await browser?.close()
  await fleet?.stop()
}, 180_000)

const at = (path: string) => `/w/${fleet.workspace.slug}/review${path}`
const rowsOf = async (text: string, values: readonly unknown[]): Promise<Json[]> =>
  (await pool.query(text, [...values])).rows
const uuidOfRound = (id: string) => uuidOf('round', id) ?? ''

describe('a round of runs', () => {
  let judge: Json
  let round: string
  beforeAll(async () => {
    const runs = Array.from({ length: 20 }, (_, number) =>
      agentRun({ number, steps: 14, tag: 'agent', isFlawed: number % 4 === 0 }),
    )
    await importRuns(api, runs)
    judge = await createJudge(api, 'sim/judge-1-1', { name: 'Runs', unit: 'trace', population: 'agent' })
  }, 180_000)

  it('is opened with its price, and shows all steps of each run', async () => {
    const { page } = owner
    await page.goto(at(`?criterion_id=${judge.id}&new=1`))
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/20 verdicts on 20 runs of 20/).waitFor()
    await dialog.getByLabel('Two people', { exact: true }).fill('0')
    await dialog.getByRole('button', { name: 'Open the round' }).click()
    await page.getByRole('cell', { name: 'open', exact: true }).waitFor({ timeout: 40_000 })
    await page.getByRole('link', { name: 'Runs' }).click()
    await shownItem(page).waitFor()
    const text = (await shownItem(page).textContent()) ?? ''
    for (const part of ['step 1', 'step 13', 'last step', 'search(']) expect(text).toContain(part)
    round = page.url().split('/').at(-1) ?? ''
    await isInOrder(owner)
  }, 180_000)

  it('grades by keys, and records who did not see the last step', async () => {
    const { page } = owner
    await page.keyboard.press('p')
    await page.getByText('The last step of this run was not on screen yet.').waitFor()
    expect(await page.getByText('0 graded').count()).toBe(1)
    const first = truthOf((await shownItem(page).textContent()) ?? '')
    await page.keyboard.press(first === 'fail' ? 'Shift+F' : 'Shift+P')
    await page.getByText('1 graded').waitFor()
    while ((await batchCard(page).count()) === 0) {
      await page.locator('section[data-shown="true"][data-seen="false"]').waitFor()
      await page.keyboard.press('End')
      await page.locator('section[data-shown="true"][data-seen="true"]').waitFor()
      const before = await page.getByText(/^\d+ graded/).textContent()
      await gradeByKey(page)
      await page.getByText(before ?? '').waitFor({ state: 'detached' })
    }
    await page.keyboard.press('Enter')
    await page
      .getByText(/judge:/)
      .first()
      .waitFor()
    expect([
      await page.locator('li[data-differs="false"]').count(),
      await page.locator('li[data-differs]').count(),
    ]).toEqual([5, 5])
    const grades = await rowsOf(
      `SELECT g.seen_all, l.unit, l.trace_id, l.sampling_method, l.blind FROM review_grade g JOIN label l ON l.id = g.label_id
       WHERE g.round_id = $1 ORDER BY g.position`,
      [uuidOfRound(round)],
    )
    expect(grades.map(({ seen_all: seen }) => seen)).toEqual([false, true, true, true, true])
    for (const grade of grades) expect(grade).toMatchObject({ unit: 'trace', sampling_method: 'round', blind: true })
    await page.goto(at(`?criterion_id=${judge.id}`))
    await page.getByText('5 of 20 runs, 1 without the last step').waitFor()
    // The home page reads services that this fleet does not have.
    expect(owner.complaints.filter((text) => !/Failed to load resource|^answered: 503/.test(text))).toEqual([])
  }, 180_000)
})

describe('an empty wallet', () => {
  let poor: DemoWorkspace
  beforeAll(async () => {
    poor = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: '0.000001' })
    await choose(fleet, poor, { loggingEnabled: true })
  })

  it('makes a round wait with the balance in sight, and loses nothing', async () => {
    const person = await visitRounds(fleet, browser, poor)
    const { page } = person
    const poorApi = apiOf(fleet, poor)
    await importExchanges(poorApi, { tag: 'poor', count: 12 })
    const judge = await createJudge(poorApi, 'sim/judge-1-1', { name: 'Poor' })
    const { id } = await person.send('POST', '/rounds', { criterion_id: judge.id })
    await page.goto(`/w/${poor.slug}/review/${id}`)
    await page
      .getByText(/It waits: The wallet does not cover .* \$0\.000001 is available\./)
      .waitFor({ timeout: 30_000 })
    expect(await person.accessibilityProblems()).toEqual([])
    const answer = await poorApi('POST', '/chat/completions', {
      model: 'sim/small',
      messages: [{ role: 'user', content: 'Hi.' }],
    })
    expect([answer.status, answer.json.error.code]).toEqual([402, 'insufficient_balance'])
    const { waiting_for: waiting } = await person.send('GET', `/rounds/${id}`)
    expect(waiting).toBe(answer.json.error.message)
    await topUp(pool, {
      workspaceId: poor.workspaceId,
      amountNano: parseUsd('1'),
      reference: `more-${poor.workspaceId}`,
    })
    // A judgement without credit is tried again after a minute, which has passed.
    await pool.query("UPDATE judgement SET due_at = now() WHERE workspace_id = $1 AND state = 'pending'", [
      poor.workspaceId,
    ])
    await shownItem(page).waitFor({ timeout: 40_000 })
    const { status, frame_rows: rows } = await person.send('GET', `/rounds/${id}`)
    expect([status, rows, publicId('round', uuidOfRound(id))]).toEqual(['open', 12, id])
    await person.close()
  }, 300_000)
})

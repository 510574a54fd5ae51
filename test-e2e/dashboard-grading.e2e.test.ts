import type { Browser } from 'playwright-core'
import { openBrowser } from './browser/open-browser.ts'
import {
  gradeByKey,
  gradeByScript,
  importExchanges,
  openRound,
  quantile,
  shownItem,
  truthOf,
  visitRounds,
} from './browser/round-steps.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { apiOf, createJudge } from './judged-traffic.ts'
import { choose } from './workspace-with.ts'

let fleet: Fleet
let browser: Browser

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([startFleet({ dashboard: true, judges: true }), openBrowser()])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

it('a round stays fast over a thousand grades of one person', async () => {
  const api = apiOf(fleet, fleet.workspace)
  await importExchanges(api, { tag: 'large', count: 2_000 })
  const judge = await createJudge(api, 'sim/judge-0.97-0.98', { name: 'Large', population: 'large' })
  const owner = await visitRounds(fleet, browser, fleet.workspace)
  const round = await openRound(owner, { criterion_id: judge.id })
  const times = await gradeByScript(owner, round, { choose: (text) => ({ label: truthOf(text) }), count: 1_000 })
  const report = (name: string, some: readonly number[]) =>
    `${name}: p50 ${quantile(some, 0.5).toFixed(0)} ms, p95 ${quantile(some, 0.95).toFixed(0)} ms`
  const [first, last] = [times.slice(0, 200), times.slice(-200)]
  process.stderr.write(`grade stored, ${report('first 200', first)}; ${report('last 200', last)}\n`)
  expect(times.length).toBeGreaterThanOrEqual(1_000)
  // The budget is 400 ms on a quiet machine; that it does not grow with the grades does not depend on the machine.
  expect(quantile(last, 0.5)).toBeLessThan(5 * quantile(first, 0.5))
  const { graded } = await owner.send('GET', `/rounds/${round}`)
  expect(graded).toBe(times.length)
}, 1_800_000)

it('shows by a key what an answer changes from one that was graded before', async () => {
  const api = apiOf(fleet, fleet.workspace)
  const thing = (number: number) =>
    `thing ${number}, which left our house on Monday and arrives after some days at your door`
  await importExchanges(api, { tag: 'parcels', count: 20, thing })
  const judge = await createJudge(api, 'sim/judge-0.97-0.98', { name: 'Parcels', population: 'parcels' })
  const owner = await visitRounds(fleet, browser, fleet.workspace)
  const round = await openRound(owner, { criterion_id: judge.id })
  const { page } = owner
  await page.goto(`/w/${fleet.workspace.slug}/review/${round}`)
  await shownItem(page).waitFor()
  const changes = page.getByRole('button', { name: 'changes (d)' })
  expect(await changes.count()).toBe(0)
  await gradeByKey(page)
  await changes.waitFor()
  await page.keyboard.press('d')
  const shown = page.getByRole('region', { name: 'Changes from the answer before' })
  await shown.locator('ins').first().waitFor()
  expect(await shown.locator('del').count()).toBeGreaterThan(0)
  await page.keyboard.press('d')
  await shown.waitFor({ state: 'detached' })
  expect(owner.complaints).toEqual([])
}, 180_000)

import { writeFileSync } from 'node:fs'
import { connectPool } from '@ratchet/db/connect-pool'
import { buildWeb } from '@ratchet/infra/bundle/build-web'
import { eventually } from '@ratchet/testing/eventually'
import { loadExchanges } from '@ratchet/testing/filled-log/load-exchanges'
import type { Browser } from 'playwright-core'
import { type BudgetFigure, quantile } from '../browser/budgets.ts'
import { openBrowser, type Visitor } from '../browser/open-browser.ts'
import { visitSignedIn } from '../browser/signed-in.ts'
import { type Fleet, startFleet } from '../fleet.ts'
import { choose } from '../workspace-with.ts'
import { sizesOfPages } from './page-sizes.ts'
import { coldLcp, observeTimings, timingsOf } from './page-timings.ts'

/* Figures of the dashboard on a running fleet, against their budgets. `npm run measure:dashboard` runs this file. */

const exchanges = 2_000
const loads = 5
const figures: BudgetFigure[] = []
let fleet: Fleet
let browser: Browser
let visitor: Visitor

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([startFleet({ dashboard: true, judges: true }), openBrowser()])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  await loadExchanges(pool, { workspaceId: fleet.workspace.workspaceId, exchanges, untilMs: Date.now(), days: 7 })
  await pool.end()
  visitor = await visitSignedIn(fleet, browser)
  await observeTimings(visitor.context)
}, 300_000)
afterAll(async () => {
  const file = process.env.MEASURE_FILE
  if (file !== undefined) writeFileSync(file, JSON.stringify(figures))
  await browser?.close()
  await fleet?.stop()
}, 60_000)

const home = () => `${fleet.url.replace('127.0.0.1', 'localhost')}/w/${fleet.workspace.slug}`

it('loads the first page in a browser without a cache', async () => {
  const storage = await visitor.context.storageState()
  for (const [slowdown, must] of [
    [1, 800],
    [4, 2_000],
  ] as const) {
    const times: number[] = []
    for (let n = 0; n < loads; n += 1) times.push(await coldLcp(browser, { url: home(), storage, slowdown }))
    const name = slowdown === 1 ? 'LCP of home, cold, median' : `LCP of home, cold, processor ÷ ${slowdown}, median`
    figures.push({ name, unit: 'ms', must, measured: quantile(times, 0.5) })
  }
}, 180_000)

it('loads little for the first page, and little more for others', async () => {
  const { page } = visitor
  await page.goto(home())
  await page.locator('main:not(:has([aria-busy="true"])) h1').first().waitFor()
  const loaded = (await page.evaluate(
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('.js'))",
  )) as string[]
  const { firstLoad, styles, largestChunk, editor } = sizesOfPages(await buildWeb(), loaded)
  const size = (name: string, must: number, bytes: number) =>
    figures.push({ name, unit: 'KB', must, measured: bytes / 1_000 })
  // With what is below the fold, which is loaded after the rest; the build itself fails when the first page needs 200 KB.
  size('All scripts of home, gzip', 240, firstLoad)
  size('Styles, gzip', 40, styles)
  size('Largest other script, gzip', 60, largestChunk)
  size('Editor, gzip', 130, editor)
  expect(firstLoad).toBeGreaterThan(0)
}, 60_000)

const places = [
  ['l', 'Logs'],
  ['j', 'Judges'],
  ['t', 'Traces'],
  ['r', 'Review'],
  ['h', 'Home'],
] as const

it('changes pages by keys', async () => {
  const { page } = visitor
  await page.goto(home())
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  const times: number[] = []
  for (let round = 0; round < 4; round += 1) {
    for (const [key, heading] of places) {
      await page.keyboard.press('g')
      const start = performance.now()
      await page.keyboard.press(key)
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      // The first round loads the scripts of the pages.
      if (round > 0) times.push(performance.now() - start)
      await page.locator('main:not(:has([aria-busy="true"]))').waitFor()
    }
  }
  figures.push({ name: 'Change of page, warm, median', unit: 'ms', must: 150, measured: quantile(times, 0.5) })
}, 120_000)

it('answers keys and presses', async () => {
  const { page } = visitor
  await page.goto(`${home()}/logs?days=7`)
  const rows = page.getByRole('table', { name: 'Log entries' }).locator('tbody tr[id]')
  await rows.first().waitFor()
  for (let n = 0; n < 20; n += 1) await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Page or action').pressSequentially('judges', { delay: 30 })
  await page.keyboard.press('Escape')
  for (let n = 0; n < 8; n += 1) {
    await rows.nth(n).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  }
  // The browser reports an interaction after its frame, and none below 16 ms.
  const interactions = await eventually(async () => {
    const timings = await timingsOf(page)
    return timings.interactions.length > 0 ? timings.interactions : null
  })
  figures.push({
    name: 'INP, p95 of interactions with logs',
    unit: 'ms',
    must: 200,
    measured: quantile(interactions, 0.95),
  })
}, 120_000)

import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import type { Browser, Page, Response } from 'playwright-core'
import { checkBudget, quantile } from './browser/budgets.ts'
import { narrowViews, sidewaysPixels, tabThroughPage, tabTo } from './browser/by-keyboard.ts'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { apiOf, calibrate, createJudge, type Json, sendTraffic } from './judged-traffic.ts'
import { choose } from './workspace-with.ts'

/* People grade in a real browser against a real fleet. An answer is wrong exactly when it contains `(flawed)`. */

let fleet: Fleet
let browser: Browser
let visitor: Visitor
let page: Page
let judge: Json

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([
    startFleet({ dashboard: true, judges: true, aliases: true, training: true }),
    openBrowser(),
  ])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  const api = apiOf(fleet, fleet.workspace)
  await sendTraffic(fleet, fleet.workspace, { model: 'sim/quality-0.6', count: 60, tag: 'support' })
  judge = await createJudge(api, 'sim/judge-0.8-0.9', { name: 'Sound', population: 'support' })
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

const base = () => `/w/${fleet.workspace.slug}`
const shown = () => page.locator('section[data-shown="true"]')
const card = () => page.getByRole('heading', { name: /^Batch \d+$/ })

/** Grades the item on screen by keys alone; resolves with its text once another one, or the card, is there. */
async function gradeOne(choice: 'truth' | 'lie' = 'truth'): Promise<string> {
  const text = (await shown().textContent()) ?? ''
  const fails = text.includes('(flawed)') === (choice === 'truth')
  await page.keyboard.press(fails ? 'f' : 'p')
  return text
}

/** The beginning of an answer, as it is on the screen. */
const plainOf = (content: string) => content.replace(/[*_`#]/g, '').slice(0, 40)

async function gradeToCard(): Promise<void> {
  while ((await card().count()) === 0) await gradeOne()
}

async function rowsOf(text: string): Promise<Json[]> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

const grades = () => rowsOf(`SELECT * FROM label WHERE sampling_method = 'round' ORDER BY created_at, id`)
const inForce = async () => (await grades()).filter(({ superseded_by }) => superseded_by === null)

/** Waits until nothing is being loaded. */
const settled = () => page.locator('main:not(:has([aria-busy="true"]))').waitFor()

/** Failures of the network that a test causes are logged by the browser. */
const complaints = () => visitor.complaints.filter((text) => !text.includes('Failed to load resource'))

it('opens a round with its price, and shows when it can be graded', async () => {
  await page.goto(`${base()}/review`)
  await page.getByRole('heading', { name: 'No round yet' }).waitFor()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog')
  for (const [label, value] of [
    ['Size of the frame', '60'],
    ['Two people', '0'],
    ['Own again', '0'],
    ['Known', '0'],
  ] as const) {
    await dialog.getByLabel(label, { exact: true }).fill(value)
  }
  await dialog.getByText(/60 verdicts on 60 exchanges/).waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await dialog.getByRole('button', { name: 'Open the round' }).click()
  await page.getByRole('cell', { name: 'open' }).waitFor({ timeout: 40_000 })
  await page.getByRole('link', { name: 'Sound' }).click()
  await shown().waitFor()
}, 180_000)

it('receives nothing about the judge until ten are graded, and then shows it once', async () => {
  const received: Promise<readonly [url: string, text: string]>[] = []
  const note = (response: Response) => {
    if (response.url().endsWith('/live')) return
    received.push(
      response.text().then(
        (text) => [response.url(), text],
        () => [response.url(), ''],
      ),
    )
  }
  page.on('response', note)
  // Also what the page loads before the first item is shown.
  await page.reload()
  await shown().waitFor()
  for (let index = 0; index < 9; index += 1) await gradeOne()
  expect(await page.getByRole('img', { name: /Fails found/ }).count()).toBe(0)
  await eventually(async () => ((await grades()).length === 9 ? true : null), { withinMs: 45_000 })
  page.off('response', note)
  const replies = await Promise.all(received)
  const bytesOf = (end: RegExp) => replies.filter(([url]) => end.test(url)).map(([, text]) => text)
  const ofItems = bytesOf(/\/(claim|grades)$/).join('\n')
  for (const object of ['review.claim', 'review.grade']) expect(ofItems).toContain(object)
  const ofItem = 'verdict|explanation|model|served_model|alias|canary|cost|cost_usd|stratum|latency|grader_id|graders'
  expect(ofItems.match(new RegExp(`"(?:${ofItem})":`, 'g'))).toBeNull()
  // The round itself has figures of its strata, which do not move before the batch is complete.
  const rounds: readonly Json[] = bytesOf(/\/rounds\/rnd_\w+$/).flatMap((text) =>
    text === '' ? [] : [JSON.parse(text)],
  )
  expect(rounds.length).toBeGreaterThan(0)
  for (const { evidence, strata } of rounds) {
    expect([evidence, strata.map(({ fails, passes, taken }: Json) => fails + passes + taken)]).toEqual([
      null,
      strata.map(() => 0),
    ])
  }
  const others = replies.filter(([url]) => /\/api\/w\//.test(url) && !/\/(claim|grades|rnd_\w+)$/.test(url))
  const texts = others.map(([, text]) => text).join('\n')
  expect(texts.match(/"(?:verdict|explanation|served_model|canary|stratum|grader_id)":/g)).toBeNull()
  await gradeOne()
  await page.getByRole('button', { name: 'Show the verdicts now' }).waitFor()
  await page.keyboard.press('Enter')
  await page
    .getByText(/judge:/)
    .first()
    .waitFor()
  expect(await page.locator('li[data-differs]').count()).toBe(10)
}, 180_000)

it('takes a grade back that was not sent, and replaces one that was', async () => {
  await page.keyboard.press('Enter')
  await shown().waitFor()
  const before = (await grades()).length
  for (let press = 0; press < 3; press += 1) await page.keyboard.down('p')
  await page.keyboard.up('p')
  await page.getByText('11 graded').waitFor()
  await page.keyboard.press('z')
  await page.getByText('10 graded').waitFor()
  const first = await gradeOne('lie')
  await page.keyboard.press('z')
  expect(await shown().textContent()).toBe(first)
  await gradeOne()
  await eventually(async () => ((await grades()).length === before + 1 ? true : null), { withinMs: 45_000 })
  expect((await grades()).length).toBe(before + 1)
  await page.keyboard.press('z')
  await page.getByText('You said').waitFor()
  expect(await shown().textContent()).toBe(first)
  await gradeOne('lie')
  await eventually(async () => ((await grades()).length === before + 2 ? true : null), { withinMs: 45_000 })
  expect((await inForce()).length).toBe(before + 1)
}, 180_000)

it('goes on without the network and without the dashboard, and all grades arrive once', async () => {
  await visitor.context.setOffline(true)
  const texts: string[] = []
  for (let index = 0; index < 4; index += 1) texts.push(await gradeOne())
  await page.getByText(/wait to be sent|waits to be sent/).waitFor({ timeout: 20_000 })
  process.kill(fleet.dashboard.pid, 'SIGKILL')
  await fleet.dashboard.exited
  await visitor.context.setOffline(false)
  texts.push(await gradeOne())
  await fleet.restartDashboard()
  await eventually(async () => ((await inForce()).length === 16 ? true : null), { withinMs: 45_000 })
  // In the order in which they were given.
  const stored = await rowsOf(`SELECT s.response FROM label l JOIN label_snapshot s ON s.id = l.snapshot_id
    WHERE l.sampling_method = 'round' AND l.superseded_by IS NULL ORDER BY l.created_at DESC, l.id DESC LIMIT 5`)
  const contents: readonly string[] = stored.map(({ response }) => JSON.parse(response).content).toReversed()
  expect(contents.map((content, index) => texts[index]?.includes(plainOf(content)))).toEqual(Array(5).fill(true))
  await page.getByText(/wait to be sent|waits to be sent/).waitFor({ state: 'detached' })
  await gradeToCard()
  await page.keyboard.press('Enter')
  await page
    .getByText(/judge:/)
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
  await shown().waitFor()
  await gradeToCard()
  const rows = await eventually(
    async () => {
      const found = await inForce()
      return found.length === 30 ? found : null
    },
    { withinMs: 45_000 },
  )
  expect(rows.every(({ blind }) => blind)).toBe(true)
  expect(new Set(rows.map(({ item_key }) => item_key)).size).toBe(30)
}, 300_000)

it('shows the next item at once', async () => {
  const measured = (await page.evaluate(
    `performance.getEntriesByName('grade-to-next').map(({ duration }) => duration)`,
  )) as number[]
  const p95 = quantile(measured, 0.95)
  expect(measured.length).toBeGreaterThanOrEqual(30)
  const name = 'Grade to next item, p95'
  checkBudget({ name, unit: 'ms', must: 50, measured: p95 }, { busyFactor: 10 })
})

it.each(['light', 'dark'] as const)(
  'shows what a judge has proven, accessible in %s',
  async (colorScheme) => {
    const api = apiOf(fleet, fleet.workspace)
    if (colorScheme === 'light') await calibrate(api, judge.id)
    await page.emulateMedia({ colorScheme })
    const pages = ['/review', '/review/adjudicate', '/judges', '/judges/new', '/judges/suggestions']
    for (const path of [...pages, `/review/graders?criterion_id=${judge.id}`]) {
      await page.goto(`${base()}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await settled()
      expect([path, await visitor.accessibilityProblems()]).toEqual([path, []])
    }
    for (const tab of ['', '/confusion', '/try', '/verdicts', '/scans', '/monitor', '/improve', '/prompt']) {
      await page.goto(`${base()}/judges/${judge.id}${tab}`)
      await page.getByRole('heading', { level: 1, name: 'Sound' }).waitFor()
      await settled()
      expect([tab, await visitor.accessibilityProblems()]).toEqual([tab, []])
    }
    await page.goto(`${base()}/judges/${judge.id}`)
    const picture = page.getByRole('img', { name: /^Fails found 0\.\d+, 95 % interval from .* to .*; bar 0\.90: / })
    await picture.first().waitFor()
    await page.getByText(/^(1|0\.\d+) \[0\.\d+, (1|0\.\d+)\], of \d+ rows that were judged twice$/).waitFor()
    await page.getByRole('button', { name: 'Plan the grades' }).click()
    await page
      .getByRole('img', { name: /may act with a chance of 80 %\.|^The number of grades is not known: / })
      .waitFor()
    expect(await visitor.accessibilityProblems()).toEqual([])
    await page.goto(`${base()}/judges/${judge.id}/confusion`)
    await page.getByRole('img', { name: /^People and judge\. both fail: \d+/ }).waitFor()
    expect(complaints()).toEqual([])
  },
  120_000,
)

it('opens an answer on which people and the judge differ, and puts it into the prompt as an example', async () => {
  const api = apiOf(fleet, fleet.workspace)
  const { json } = await api('GET', `/criteria/${judge.id}/calibrations`)
  const { fn } = json.data[0].confusion
  await page.goto(`${base()}/judges/${judge.id}/confusion`)
  const cell = fn > 0 ? /^missed/ : /^false alarm/
  await page.getByRole('button', { name: cell }).click()
  const rows = page.getByRole('table', { name: fn > 0 ? /^Missed/ : /^False alarms/ }).getByRole('row')
  await rows.nth(1).click()
  const panel = page.getByRole('dialog', { name: 'Graded answer' })
  await panel.getByText(fn > 0 ? /People: fail/ : /People: pass/).waitFor()
  await panel.getByRole('link', { name: 'Add to the prompt as an example' }).click()
  const editor = page.getByRole('textbox', { name: 'An answer fails when' })
  await editor.getByText(/^Example of an answer that/).waitFor()
  // Nothing is saved by itself.
  expect((await api('GET', `/criteria/${judge.id}`)).json).toMatchObject({
    judge_prompt: judge.judge_prompt,
    trust: expect.not.stringContaining('unmeasured'),
  })
}, 180_000)

it('says what a change of the prompt throws away before it is saved, and the old calibration stays readable', async () => {
  const api = apiOf(fleet, fleet.workspace)
  const alias = { name: 'gated', target_model: 'sim/large', canary_model: 'sim/small', canary_percent: 10 }
  const gate = { gate_mode: 'recommend', gate_criterion_id: judge.id }
  expect((await api('PUT', '/aliases', { ...alias, ...gate })).status).toBe(200)
  await page.goto(`${base()}/judges/${judge.id}/prompt`)
  const editor = page.getByRole('textbox', { name: 'An answer fails when' })
  await editor.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Or when it is rude.')
  const price = /voids the calibration that cost \$0\.\d*[1-9]/
  const people = /rests on \d.* of people/
  const gates = /Gates of these aliases rely on it: gated\./
  await page.getByText(new RegExp([price, people, gates].map(({ source }) => source).join('.*'))).waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The judge is saved.').waitFor()
  await page.getByText('unmeasured', { exact: true }).waitFor()
  expect((await api('GET', `/criteria/${judge.id}`)).json.trust).toBe('unmeasured')
  await page.getByRole('link', { name: 'Evidence' }).click()
  await page.getByText('voided', { exact: true }).waitFor()
}, 180_000)

it('fits a phone, with buttons as wide as the page', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${base()}/review`)
  await page.getByRole('link', { name: 'Sound' }).click()
  await shown().waitFor()
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0)
  const button = await page.getByRole('button', { name: /Pass/ }).boundingBox()
  expect(button?.width).toBeGreaterThan(300)
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.goto(`${base()}/judges/${judge.id}`)
  await page.getByRole('heading', { level: 1, name: 'Sound' }).waitFor()
  expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0)
}, 180_000)

it.each(narrowViews)(
  'goes from the home page into a round and grades by keyboard alone at %s',
  async (_name, viewport) => {
    await page.setViewportSize(viewport)
    await page.goto(base())
    await page.locator('main:not(:has([aria-busy="true"])) h1').first().waitFor()
    expect(await sidewaysPixels(page)).toBe(0)
    await tabThroughPage(page)
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByRole('link', { name: 'Sound' }).waitFor()
    expect(await sidewaysPixels(page)).toBe(0)
    await tabTo(page, /^Sound$/)
    await page.keyboard.press('Enter')
    await shown().waitFor()
    expect(await sidewaysPixels(page)).toBe(0)
    await tabThroughPage(page)
    const before = await shown().textContent()
    await page.keyboard.press('p')
    await eventually(async () => (await shown().textContent()) !== before)
  },
  120_000,
)

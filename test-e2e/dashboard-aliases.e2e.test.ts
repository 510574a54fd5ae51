import { eventually } from '@ratchet/testing/eventually'
import type { Browser, Page } from 'playwright-core'
import { untilInForce } from './alias-propagation.ts'
import { narrowViews, sidewaysPixels, tabTo } from './browser/by-keyboard.ts'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, calibrate, createJudge, gradeTruly, type Json, sendTraffic } from './judged-traffic.ts'
import { choose } from './workspace-with.ts'

/* People route aliases and end canaries in a real browser against a real fleet. */

let fleet: Fleet
let browser: Browser
let visitor: Visitor
let page: Page
let api: Api
let judge: Json

beforeAll(async () => {
  const env = { GATE_EVERY_MS: '300', GATE_INGEST_LAG_MS: '300', ABUSE_GUARD_LIMIT: '10000' }
  const services = { dashboard: true, judges: true, evals: true, aliases: true }
  ;[fleet, browser] = await Promise.all([startFleet({ ...services, env }), openBrowser()])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  api = apiOf(fleet, fleet.workspace)
  judge = await createJudge(api, 'sim/judge-0.98-0.98', { name: 'Sound', online_percent: 100 })
  const traffic = { model: 'sim/quality-0.5', count: 400, from: 900_000 }
  await gradeTruly(api, await sendTraffic(fleet, fleet.workspace, traffic))
  expect(await calibrate(api, judge.id)).toMatchObject({ status: 'DONE', trust: 'trustworthy' })
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
}, 240_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

const base = () => `/w/${fleet.workspace.slug}`
/** A field by its label, which has a star when the field is required. */
const field = (name: string, on = page) =>
  on.locator('input, textarea').and(on.getByLabel(new RegExp(`^${name}( \\*)?$`)))
const save = (on = page) => on.getByRole('button', { name: /^Save over version/ })
const gate = async (name: string): Promise<Json> => (await api('GET', `/aliases/${name}/gate`)).json
const alias = async (name: string): Promise<Json> => (await api('GET', `/aliases/${name}`)).json

/** What a refused request logs in the browser is no fault of the page. */
const complaints = () => visitor.complaints.filter((text) => !text.includes('Failed to load resource'))

async function put(body: object): Promise<void> {
  const { status, text } = await api('PUT', '/aliases', body)
  if (status !== 200) throw new Error(`${status}: ${text}`)
}

let asked = 0

/** Sends one request; resolves with the model that answered. */
async function ask(model: string): Promise<string> {
  asked += 1
  const content = `Question ${asked}: why does item ${asked} of the list matter?`
  const response = await postChat(fleet, { model, content })
  await response.text()
  expect(response.status).toBe(200)
  return response.headers.get('x-svc-served-model') ?? ''
}

const scoredBy = ({ arms }: Json): number => arms.target.scored + (arms.canary?.scored ?? 0)

/** Sends requests, and waits until the judge has scored answers to them or the gate has decided. */
async function askAndScore(name: string, count: number): Promise<void> {
  const before = scoredBy(await gate(name))
  await Promise.all(Array.from({ length: count }, () => ask(name)))
  const hasMore = async () => {
    const now = await gate(name)
    return now.state === 'rolled_back' || scoredBy(now) > before
  }
  await eventually(hasMore, { withinMs: 45_000, everyMs: 200 })
}

it('makes an alias, and sets a canary after showing what will change', async () => {
  await page.goto(`${base()}/aliases`)
  await page.getByRole('heading', { name: 'No alias yet' }).waitFor()
  await page.keyboard.press('c')
  await field('Name').fill('support')
  await field('Target').fill('sim/quality-0.97')
  await page.getByRole('button', { name: 'Create the alias' }).click()
  await page.getByRole('heading', { level: 1, name: 'support' }).waitFor()
  await field('Canary').fill('sim/quality-0.75')
  await field('Share of the canary').fill('50')
  await field('Judge of the gate').click()
  await page.getByRole('option', { name: 'Sound' }).click()
  await field('Gate').click()
  await page.getByRole('option', { name: 'Acts by itself' }).click()
  const changes = page.getByRole('region', { name: 'Changed settings' })
  await changes.getByRole('row', { name: /Share of the canary 0 % 50 %/ }).waitFor()
  await changes.getByRole('row', { name: /Gate none acts by itself/ }).waitFor()
  await page.getByText(/this gate needs .* scored answers/).waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await save().click()
  await page.getByText('Version 2 is saved.').waitFor()
  expect(await alias('support')).toMatchObject({
    version: 2,
    canary_model: 'sim/quality-0.75',
    canary_percent: 50,
    gate_criterion_id: judge.id,
    gate_mode: 'auto',
  })
}, 180_000)

it('shows the band of a worse canary leave the margin, and says within seconds that it is rolled back', async () => {
  await untilInForce(api, 'support')
  await page.getByRole('link', { name: 'Canary', exact: true }).click()
  await page.getByRole('link', { name: /Aliases.*1 canary runs/ }).waitFor()
  const banner = page.getByRole('status').getByText('Canary sim/quality-0.75: rolled back')
  const seen = banner.waitFor({ timeout: 150_000 }).then(() => Date.now())
  while ((await alias('support')).canary_percent > 0) {
    await askAndScore('support', 40)
  }
  const seenAt = await seen
  const found = await gate('support')
  const lateMs = seenAt - Date.parse(found.decided_at)
  process.stderr.write(`banner ${lateMs} ms after the evaluation\n`)
  expect(lateMs).toBeLessThan(5_000)
  const picture = page.getByRole('img', { name: /^canary .*: rolled back|; rolled back\.$/ })
  const sentence = (await picture.first().getAttribute('aria-label')) ?? ''
  const [, estimate, low, high] = /^canary (\S+) points, 95 % from (\S+) to (\S+) at every/.exec(sentence) ?? []
  const figures = [found.difference.estimate, ...found.difference.cs]
  expect([estimate, low, high]).toEqual(figures.map(pointsOf))
  expect(found.difference.cs[1]).toBeLessThan(-found.margin)
  await page.getByRole('button', { name: 'Show the numbers' }).first().click()
  const highs = await page.getByRole('table', { name: sentence }).locator('tbody td:last-child').allTextContents()
  const [first = 0, last = 0] = [highs.at(0), highs.at(-1)].map(numberOf)
  expect(first).toBeGreaterThan(-found.margin * 100)
  // The numbers are rounded.
  expect(last).toBeLessThanOrEqual(-found.margin * 100)
  await page.getByRole('link', { name: 'In the audit' }).click()
  await page.getByRole('row', { name: /the gate rolled back by the gate/ }).click()
  await page.getByText(`${estimate} points [${low}, ${high}]`).waitFor()
  await page.getByRole('row', { name: /Share of the canary 50 % 0 %/ }).waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.keyboard.press('Escape')
  expect(complaints()).toEqual([])
}, 240_000)

function numberOf(text = ''): number {
  return Number(text.replace('−', '-'))
}

function pointsOf(share: number): string {
  const value = Math.round(share * 1_000) / 10
  return value === 0 ? '0' : `${value > 0 ? '+' : '−'}${Math.abs(value).toFixed(1)}`
}

it('rolls a canary back by one press: two seconds later no answer is of the canary', async () => {
  await put({ name: 'busy', target_model: 'sim/small', canary_model: 'sim/medium', canary_percent: 50 })
  await untilInForce(api, 'busy')
  await page.goto(`${base()}/aliases/busy/canary`)
  const button = page.getByRole('button', { name: /^Roll back/ })
  await button.waitFor()
  const answers: Promise<{ readonly sentAt: number; readonly model: string }>[] = []
  const timer = setInterval(() => {
    const sentAt = performance.now()
    answers.push(ask('busy').then((model) => ({ sentAt, model })))
  }, 20)
  try {
    await eventually(() => answers.length > 50, { withinMs: 45_000 })
    const pressedAt = performance.now()
    await button.click()
    await eventually(() => performance.now() - pressedAt > 4_000, { withinMs: 45_000 })
    clearInterval(timer)
    const all = await Promise.all(answers)
    const before = all.filter(({ sentAt }) => sentAt < pressedAt)
    const after = all.filter(({ sentAt }) => sentAt > pressedAt + 2_000)
    expect(before.some(({ model }) => model === 'sim/medium')).toBe(true)
    expect(after.length).toBeGreaterThan(20)
    expect(new Set(after.map(({ model }) => model))).toEqual(new Set(['sim/small']))
  } finally {
    clearInterval(timer)
  }
  await page.getByText('Rolled back. Within two seconds every new request goes to sim/small.').waitFor()
  await page.getByRole('link', { name: 'Set 50 % again' }).click()
  expect(await field('Share of the canary').inputValue()).toBe('50 %')
  expect(await save().isEnabled()).toBe(true)
}, 180_000)

it('shows both versions when another person saved first, and keeps what is typed', async () => {
  await put({ name: 'shared', target_model: 'sim/small', description: 'First.' })
  const { userId } = await fleet.workspace.addMember('admin')
  const other = await visitSignedIn(fleet, browser, { userId })
  try {
    for (const each of [page, other.page]) await each.goto(`${base()}/aliases/shared/routing`)
    await field('Description').fill('Mine.')
    await field('Hours to decide').fill('48')
    await field('Description', other.page).fill('Theirs.')
    await field('Canary', other.page).fill('sim/medium')
    await save(other.page).click()
    await other.page.getByText('Version 2 is saved.').waitFor()
    // The page is notified of the other version before this person saves.
    const both = page.getByRole('region', { name: 'Both versions' })
    await both.getByRole('row', { name: /Description you both changed it First\. Theirs\. Mine\./ }).waitFor()
    await both.getByRole('row', { name: /Canary only they changed it none sim\/medium none/ }).waitFor()
    await both.getByRole('row', { name: /Hours to decide only you changed it 72 h 72 h 48 h/ }).waitFor()
    expect(await field('Description').inputValue()).toBe('Mine.')
    expect(await save().isEnabled()).toBe(false)
    expect((await alias('shared')).description).toBe('Theirs.')
    expect(await visitor.accessibilityProblems()).toEqual([])
    await page.getByRole('button', { name: 'Put my changes on version 2' }).click()
    expect(await field('Canary').inputValue()).toBe('sim/medium')
    await page.getByRole('button', { name: 'Save over version 2' }).click()
    await page.getByText('Version 3 is saved.').waitFor()
    const saved = { description: 'Mine.', canary_model: 'sim/medium', gate_window_hours: 48, version: 3 }
    expect(await alias('shared')).toMatchObject(saved)
  } finally {
    await other.close()
  }
}, 180_000)

it('says what is missing for a promotion, and lets an owner do it without evidence', async () => {
  await put({
    name: 'strict',
    target_model: 'sim/small',
    canary_model: 'sim/medium',
    canary_percent: 20,
    require_evidence: true,
    gate_criterion_id: judge.id,
    gate_mode: 'recommend',
    family_rules: [{ segment: 'none', model: 'sim/small' }],
  })
  await page.goto(`${base()}/aliases/strict/canary`)
  await page.getByText('no system prompt: always sim/small, outside of the split').waitFor()
  await page.getByRole('button', { name: 'Promote' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Promote' }).click()
  await dialog.getByText(/A DONE eval of the last 30 days from sim\/small to sim\/medium/).waitFor()
  expect((await alias('strict')).canary_percent).toBe(20)
  await dialog.getByLabel('Promote it without evidence').check()
  await dialog.getByLabel('Reason').fill('An outage.')
  await dialog.getByRole('button', { name: 'Promote' }).click()
  await page.getByText('Promoted: every new request goes to the canary.').waitFor()
  expect(await alias('strict')).toMatchObject({ canary_percent: 100, family_rules: [{ segment: 'none' }] })
  expect(complaints()).toEqual([])
}, 180_000)

it.each(narrowViews)(
  'is rolled back by keyboard alone at %s',
  async (_name, size) => {
    await put({ name: 'narrow', target_model: 'sim/small', canary_model: 'sim/medium', canary_percent: 10 })
    await page.setViewportSize(size)
    await page.goto(`${base()}/aliases/narrow/canary`)
    await page.getByRole('button', { name: /^Roll back/ }).waitFor()
    expect(await sidewaysPixels(page)).toBe(0)
    await tabTo(page, /^Roll back/)
    await page.keyboard.press('Enter')
    await page.getByText(/^Rolled back\. Within/).waitFor()
    expect((await alias('narrow')).canary_percent).toBe(0)
    await page.setViewportSize({ width: 1280, height: 800 })
  },
  180_000,
)

it.each(['light', 'dark'] as const)(
  'every page of aliases is accessible in %s, names its picture, and fits a phone',
  async (colorScheme) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const own = `${base()}/aliases/support`
    for (const path of [
      `${base()}/aliases`,
      `${base()}/aliases/new`,
      `${own}/routing`,
      `${own}/canary`,
      `${own}/audit`,
    ]) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.locator('main:not(:has([aria-busy="true"]))').waitFor()
      expect([path, await visitor.accessibilityProblems()]).toEqual([path, []])
      await page.setViewportSize({ width: 320, height: 700 })
      expect([path, await sidewaysPixels(page)]).toEqual([path, 0])
      await page.setViewportSize({ width: 1280, height: 800 })
    }
    await page.goto(`${own}/canary`)
    await page
      .getByRole('img', { name: /^canary .* points, 95 % from .* to .*; margin 5\.0; rolled back\.$/ })
      .waitFor()
    await page.getByRole('button', { name: 'Show the numbers' }).first().click()
    await page.getByRole('columnheader', { name: 'Scored answers' }).waitFor()
    await page.goto(`${base()}`)
    await page.getByText('Alias support: the canary is rolled back.').waitFor()
    await page.goto(`${base()}/judges/${judge.id}`)
    await page.getByText(/gates? of .*support.* on it/).waitFor()
    expect(complaints()).toEqual([])
  },
  180_000,
)

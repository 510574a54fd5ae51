import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import type { Browser, Page } from 'playwright-core'
import { narrowViews, sidewaysPixels, tabTo } from './browser/by-keyboard.ts'
import { jumpTo, pressControl, typeInto } from './browser/keys.ts'
import { openBrowser, type Visitor, visit } from './browser/open-browser.ts'
import { createKeyOnPage } from './browser/page-steps.ts'
import { gradeBatchByKeys, importExchanges } from './browser/round-steps.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { apiOf } from './judged-traffic.ts'
import { operatorOf } from './ratchet-command.ts'
import { password } from './signed-in.ts'

/* The first run of an installation, in a real browser against a real fleet: from the printed link on. */

let fleet: Fleet
let pool: Pool
let browser: Browser
let origin: string
const visitors: Visitor[] = []

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([
    startFleet({ judges: true, evals: true, aliases: true, dashboard: true }),
    openBrowser(),
  ])
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  origin = fleet.url.replace('127.0.0.1', 'localhost')
}, 300_000)
afterEach(async () => {
  for (const { page, complaints, accessibilityProblems, close } of visitors.splice(0)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect([page.url(), await accessibilityProblems()]).toEqual([page.url(), []])
    }
    await close()
    // Browsers log every answer that is an error.
    expect(complaints.filter((text) => !/Failed to load resource.*status of 4\d\d/.test(text))).toEqual([])
  }
})
afterAll(async () => {
  await browser?.close()
  await pool?.end()
  await fleet?.stop()
}, 180_000)

async function open(options: Parameters<typeof visit>[2] = {}): Promise<Visitor> {
  const visitor = await visit(browser, origin, options)
  visitors.push(visitor)
  return visitor
}

const models = (key: string) => fetch(`${fleet.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

it('sets up an installation by the printed link: owner, workspace, logging, and a key that works', async () => {
  const { stdout } = await operatorOf(fleet)('admin', 'setup-link')
  const link = stdout.trim()
  const { page, accessibilityProblems } = await open()
  await page.goto(link)
  await page.getByLabel('Your name').fill('Ann')
  await page.getByLabel('E-mail').fill('ann@first.example')
  await page.locator('input[type=password]').fill(password)
  await page.getByLabel('Name of the workspace').fill('First Run')
  expect(await accessibilityProblems()).toEqual([])
  await page.getByRole('button', { name: 'Create the workspace' }).click()
  await heading(page, 'The workspace is ready').waitFor()
  await page.getByRole('link', { name: /Turn logging on/ }).click()
  await page.getByRole('button', { name: 'Turn logging on' }).click()
  await page.getByText('Logging is on.', { exact: true }).waitFor()
  expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true)
  const { key, command } = await createKeyOnPage(page, 'first-run', 'first')
  const [, url = '', bearer = ''] = /curl (\S+)[\s\S]*"Authorization: Bearer ([^"]+)"/.exec(command) ?? []
  expect([url, bearer]).toEqual([`${origin}/v1/models`, key])
  expect((await models(key)).status).toBe(200)
  const status = await fetch(`${fleet.url}/v1/setup/status`, { headers: { authorization: `Bearer ${key}` } })
  expect(await status.json()).toMatchObject({ logging: { enabled: true } })
  await page.getByRole('button', { name: 'I stored it' }).click()
  const again = await open()
  await again.page.goto(link)
  await again.page.getByLabel('Your name').fill('Eve')
  await again.page.getByLabel('E-mail').fill('eve@first.example')
  await again.page.locator('input[type=password]').fill(password)
  await again.page.getByLabel('Name of the workspace').fill('Second Run')
  await again.page.getByRole('button', { name: 'Create the workspace' }).click()
  await again.page.getByRole('alert').waitFor()
  const { rowCount } = await pool.query("SELECT FROM workspace WHERE slug = 'second-run'")
  expect(rowCount).toBe(0)
}, 180_000)

/** Fills in the page of a set-up link, and makes the workspace. */
async function setUpByKeys(page: Page, slug: string): Promise<void> {
  await heading(page, 'Set up').waitFor()
  await typeInto(page, /^Your name/, 'Ann')
  await typeInto(page, /^E-mail/, `ann@${slug}.example`)
  await typeInto(page, /^Password/, password)
  await typeInto(page, /^Name of the workspace/, slug)
  expect(await sidewaysPixels(page)).toBe(0)
  await pressControl(page, /^Create the workspace/)
  await heading(page, 'The workspace is ready').waitFor()
}

it('leads a stranger from the one-time link to a trustworthy judge, by keyboard alone', async () => {
  const operator = operatorOf(fleet)
  const { page, context } = await open()
  const pointers: string[] = []
  await context.exposeBinding('notePointer', (_source, where: string) => void pointers.push(where))
  await context.addInitScript(`addEventListener('pointerdown', () => notePointer(location.pathname), true)`)
  await page.goto((await operator('admin', 'setup-link')).stdout.trim())
  await setUpByKeys(page, 'stranger')
  await pressControl(page, /^Turn logging on/)
  await heading(page, 'Logging').waitFor()
  await pressControl(page, /^Turn logging on/)
  await page.getByText('Logging is on.', { exact: true }).waitFor()
  await pressControl(page, /^API keys/)
  await heading(page, 'API keys').waitFor()
  await page.keyboard.press('c')
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  await typeInto(page, /^Name/, 'first')
  await pressControl(page, /^Create$/)
  const apiKey = ((await page.getByLabel('The new API key').textContent()) ?? '').trim()
  await pressControl(page, /^I stored it/)

  // The stranger's program has traffic, and the operator credits the wallet from which the judge is paid.
  const credit = ['--workspace', 'stranger', '--usd', '5', '--reference', 'stranger']
  expect(await operator('admin', 'top-up', ...credit)).toMatchObject({ code: 0 })
  const api = apiOf(fleet, { apiKey })
  await importExchanges(api, { tag: 'shop', count: 200, flawedEvery: 2 })

  await jumpTo(page, 'j', 'Judges')
  await page.keyboard.press('c')
  await heading(page, 'New judge').waitFor()
  await typeInto(page, /^Name/, 'Sound')
  await typeInto(page, /^An answer fails when/, 'The answer contains a mistake.')
  await typeInto(page, /^Model/, 'sim/judge-1-1')
  await pressControl(page, /^Create the judge/)
  await heading(page, 'Sound').waitFor()
  await jumpTo(page, 'r', 'Review')
  await page.keyboard.press('c')
  await page
    .getByRole('dialog')
    .getByText(/200 verdicts on 200 exchanges/)
    .waitFor()
  await pressControl(page, /^Open the round/)
  await page.getByRole('cell', { name: 'open', exact: true }).waitFor({ timeout: 60_000 })
  await pressControl(page, /^Sound$/)
  for (let batch = 0; batch < 10; batch += 1) await gradeBatchByKeys(page)

  await jumpTo(page, 'j', 'Judges')
  await pressControl(page, /^Sound$/)
  await heading(page, 'Sound').waitFor()
  await page.getByRole('button', { name: 'Calibrate' }).waitFor()
  await page.keyboard.press('c')
  await page
    .getByRole('dialog')
    .getByText(/fail, \d+ pass/)
    .waitFor()
  await pressControl(page, /^Calibrate$/)
  await page.getByText('trustworthy', { exact: true }).first().waitFor({ timeout: 60_000 })
  const [judge] = (await api('GET', '/criteria')).json.data
  expect(judge).toMatchObject({ name: 'Sound', trust: 'trustworthy', alignment_picked: false })
  expect(judge.alignment_n).toBeGreaterThanOrEqual(80)
  expect(pointers).toEqual([])
}, 420_000)

it.each(narrowViews)(
  'sets up, invites and joins by keyboard alone at %s',
  async (name, viewport) => {
    const slug = `keys-${name.replace(/\D+/g, '')}`
    const { stdout } = await operatorOf(fleet)('admin', 'setup-link')
    const { page } = await open({ viewport })
    await page.goto(stdout.trim())
    await setUpByKeys(page, slug)
    expect(await sidewaysPixels(page)).toBe(0)
    await page.goto(`/w/${slug}/settings/members`)
    await page.getByRole('button', { name: 'Invite a person' }).waitFor()
    expect(await sidewaysPixels(page)).toBe(0)
    await tabTo(page, /^Invite a person/)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Invite a person' })
    await dialog.getByRole('textbox', { name: 'E-mail' }).waitFor()
    await eventually(() =>
      dialog.getByRole('textbox', { name: 'E-mail' }).evaluate('(field) => field === document.activeElement'),
    )
    await page.keyboard.type(`bob@${slug}.example`)
    await tabTo(page, /^Invite$/)
    await page.keyboard.press('Enter')
    const link = ((await page.getByLabel('Link of the invitation').textContent()) ?? '').trim()
    const { page: joining } = await open({ viewport })
    await joining.goto(link)
    await heading(joining, `Join ${slug}`).waitFor()
    await typeInto(joining, /^Your name/, 'Bob')
    await typeInto(joining, /^Password/, password)
    expect(await sidewaysPixels(joining)).toBe(0)
    await tabTo(joining, /^Accept/)
    await joining.keyboard.press('Enter')
    await joining.waitForURL(new RegExp(`/w/${slug}`))
  },
  180_000,
)

import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'

/* The pages for operators on a real fleet: what they disable holds at once, and what they see is what the stores have. */

let fleet: Fleet
let browser: Browser
let visitor: Visitor
let page: Page
let pool: Pool

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([startFleet({ dashboard: true, edges: 2 }), openBrowser()])
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  await pool.query('UPDATE app_user SET operator = true WHERE id = $1', [fleet.workspace.userId])
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
  // What fades in has other colours meanwhile.
  await page.emulateMedia({ reducedMotion: 'reduce' })
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await pool?.end()
  await fleet?.stop()
}, 180_000)

/** The page breaks no rule in light and dark, fits a phone, and broke no policy. */
async function isInOrder(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await visitor.accessibilityProblems()).toEqual([])
  }
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
  // The home page reads services that this fleet does not have, and a workspace was not found while it was disabled: Chromium
  // logs such answers as errors of the page.
  expect(visitor.complaints.filter((text) => !/ (?:404|503) \(/.test(text))).toEqual([])
}

/** The status of a call with a key, at each edge. */
async function statuses(apiKey: string): Promise<readonly number[]> {
  const answers = await Promise.all(fleet.edges.map(({ url }) => postChat(fleet, { url, apiKey, model: 'sim/small' })))
  return answers.map(({ status }) => status)
}

/** Presses a button in the table, and confirms. */
async function confirmed(button: string, verb: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: verb, exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
}

it('refuses the keys of a disabled person at every edge as soon as the page says so, and takes them again', async () => {
  const member = await fleet.workspace.addMember('member')
  expect(await statuses(member.apiKey)).toEqual([200, 200])
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM app_user WHERE id = $1', [member.userId])
  const name = rows[0]?.name ?? ''
  await page.goto('/admin/users')
  await page.getByRole('table', { name: 'Users' }).waitFor()
  await confirmed(`Disable ${name}`, 'Disable')
  expect(await statuses(member.apiKey)).toEqual([401, 401])
  expect(await statuses(fleet.workspace.apiKey)).toEqual([200, 200])
  await page.getByRole('row').filter({ hasText: name }).getByText('disabled', { exact: true }).waitFor()
  await isInOrder()
  await confirmed(`Enable ${name}`, 'Enable')
  expect(await statuses(member.apiKey)).toEqual([200, 200])
}, 180_000)

it('refuses the keys of a disabled workspace at every edge, and its members do not find it', async () => {
  const { slug } = fleet.workspace
  await page.goto('/admin')
  const row = page.getByRole('row').filter({ hasText: slug })
  const button = await row.getByRole('button', { name: /^Disable / }).getAttribute('aria-label')
  const name = button?.replace('Disable ', '') ?? ''
  await confirmed(`Disable ${name}`, 'Disable')
  expect(await statuses(fleet.workspace.apiKey)).toEqual([401, 401])
  const read = (path: string) => page.evaluate(async (url) => (await fetch(url)).status, path)
  expect(await read(`/api/w/${slug}/settings`)).toBe(404)
  expect(await read(`/api/w/${slug}/v1/models`)).toBe(404)
  await row.getByText('disabled', { exact: true }).waitFor()
  await confirmed(`Enable ${name}`, 'Enable')
  expect(await statuses(fleet.workspace.apiKey)).toEqual([200, 200])
  expect(await read(`/api/w/${slug}/settings`)).toBe(200)
}, 180_000)

it('shows dead-lettered work with its reason, also hostile text, and retries it', async () => {
  const error = '<img src=x onerror=alert(1)> provider said no'
  await pool.query("SET session_replication_role = 'replica'")
  await pool.query(
    `INSERT INTO judgement (id, workspace_id, criterion_id, source, instrument, log_id, created_at, state, failures, last_error)
     VALUES (gen_random_uuid(), $1, $1, 'online', 1, gen_random_uuid(), now(), 'poisoned', 5, $2)`,
    [fleet.workspace.workspaceId, error],
  )
  await pool.query('RESET session_replication_role')
  await page.goto('/admin/work')
  await page.getByRole('table', { name: 'Dead-lettered work' }).getByText(error).waitFor()
  await isInOrder()
  await confirmed(`Retry ${fleet.workspace.slug}`, 'Retry')
  await page.getByText('Nothing was dead-lettered').waitFor()
  const { rows } = await pool.query("SELECT state, attempts FROM judgement WHERE source = 'online'")
  expect(rows).toEqual([{ state: 'pending', attempts: 0 }])
  await pool.query("DELETE FROM judgement WHERE source = 'online'")
}, 180_000)

it('shows that the ledger is correct, and what was paid into wallets', async () => {
  await page.goto('/admin/ledgers')
  await page.getByText(/^correct: all \d+ invariants hold$/).waitFor()
  await isInOrder()
  await page.goto('/admin/credits')
  const credits = page.getByRole('table', { name: 'Credits and corrections' })
  await credits.getByRole('row').filter({ hasText: fleet.workspace.slug }).first().waitFor()
  await isInOrder()
}, 180_000)

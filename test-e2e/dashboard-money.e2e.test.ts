import { parseUsd } from '@ratchet/contracts/money'
import { connectPool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { ledgerOf } from './charge.ts'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { rawChatBytes, rawRequest } from './raw-request.ts'

/* What people see about money and failed requests, compared with the ledger of a real fleet. */

const balanceUsd = '0.10'
let fleet: Fleet
let browser: Browser
let visitor: Visitor
let page: Page

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([startFleet({ dashboard: true, workspace: { balanceUsd } }), openBrowser()])
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
  // What fades in has other colours meanwhile.
  await page.emulateMedia({ reducedMotion: 'reduce' })
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

const at = (path: string) => `/w/${fleet.workspace.slug}/${path}`

/** Opens a page of the workspace and waits for its heading. */
async function open(path: string, heading: string | RegExp): Promise<void> {
  await page.goto(at(path))
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
}

/** Reads an endpoint with the session of the page. */
function read(path: string): Promise<{ status: number; text: string }> {
  return page.evaluate(async (url) => {
    const answer = await fetch(url)
    return { status: answer.status, text: await answer.text() }
  }, `/api/w/${fleet.workspace.slug}${path}`)
}

const readJson = async (path: string) => JSON.parse((await read(path)).text)

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
  // The home page reads services that this fleet does not have, and a key is not in use at once.
  expect(visitor.complaints.filter((text) => !/\b503\b|404 .*\/providers\/sim\/test/.test(text))).toEqual([])
}

/** Twenty requests that fail for eight causes. */
async function failTwenty(): Promise<void> {
  const tagged = { headers: { 'x-svc-tag': 'support' } }
  const calls = [
    ...Array(3).fill({ model: 'sim/fail-503', ...tagged }),
    ...Array(3).fill({ model: 'sim/fail-429' }),
    ...Array(3).fill({ model: 'sim/fail-400', ...tagged }),
    ...Array(3).fill({ model: 'sim/none' }),
    ...Array(2).fill({ model: 'sim/small', body: { messages: 'none' } }),
    ...Array(2).fill({ model: 'sim/large', body: { max_tokens: 16_384 } }),
    ...Array(2).fill({ model: 'sim/cut-200', stream: true }),
  ]
  for (const call of calls) await (await postChat(fleet, call)).text().catch(() => undefined)
  for (let n = 0; n < 2; n += 1) {
    const bytes = rawChatBytes(fleet.workspace.apiKey, { headers: ['Content-Length: 11000000'] })
    expect((await rawRequest(fleet.url, bytes)).status).toBe(413)
  }
}

it('shows twenty failures of eight causes, with the same total under every grouping', async () => {
  for (let n = 0; n < 3; n += 1) expect((await postChat(fleet, { model: 'sim/small' })).status).toBe(200)
  await failTwenty()
  await eventually(async () => expect((await readJson('/session/failures')).failed).toBe(20), { withinMs: 45_000 })
  for (const group of ['cause', 'model', 'provider', 'key', 'tag', 'alias', 'day']) {
    const { failed, groups, requests, answered } = await readJson(`/session/failures?group_by=${group}`)
    const sum = groups.reduce((total: number, each: { failed: number }) => total + each.failed, 0)
    expect([group, failed, sum, requests - answered]).toEqual([group, 20, 20, 20])
  }
  await open('logs/failures', 'Failures')
  const table = page.getByRole('table', { name: 'Failed requests by cause' })
  await table.waitFor()
  expect(await table.getByRole('row').count()).toBe(1 + 8)
  await isInOrder()
  // by keys only: the first row opens its requests
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const rows = page.getByRole('table', { name: 'Failed requests', exact: true })
  await rows.waitFor()
  expect(await rows.getByRole('row').count()).toBe(1 + 3)
  await isInOrder()
}, 180_000)

it('usage by key, model, tag and purpose, and its CSV, add up to the charges of the ledger', async () => {
  const before = parseUsd(balanceUsd)
  const charged = await eventually(
    async () => {
      const { balance } = await ledgerOf(fleet)
      const wallet = await readJson('/session/wallet')
      expect(wallet.balance_nano).toBe(String(balance))
      const { charges_nano: charges } = await readJson('/session/usage')
      expect(BigInt(charges)).toBe(before - balance)
      expect(before - balance).toBeGreaterThan(0n)
      return before - balance
    },
    { withinMs: 45_000 },
  )
  for (const group of ['key', 'model', 'tag', 'alias', 'purpose', 'day']) {
    const csv = (await read(`/session/usage?group_by=${group}&format=csv`)).text
    const lines = csv.trim().split('\r\n').slice(1)
    const sum = lines.reduce((total, line) => total + BigInt(line.slice(line.lastIndexOf(',') + 1)), 0n)
    const { series } = await readJson(`/session/usage?group_by=${group}`)
    const drawn = series.reduce((total: bigint, each: { cost_nano: string }) => total + BigInt(each.cost_nano), 0n)
    expect([group, sum, drawn]).toEqual([group, charged, charged])
  }
  await open('billing/usage?group_by=key', 'Usage')
  const table = page.getByRole('table', { name: 'Usage', exact: true })
  await table.waitFor()
  const cells = await table.locator('tbody tr td:last-child').allTextContents()
  expect(cells.reduce((total, cell) => total + parseUsd(cell.slice(1)), 0n)).toBe(charged)
  expect(await table.getByText('unattributed').count()).toBe(1)
  await isInOrder()
  await open('billing/statements', /^Statement of /)
  await page.getByText('= Closing balance').waitFor()
  await isInOrder()
}, 180_000)

/** The owner becomes an operator, and credits the wallet on the page for operators. */
async function creditAsOperator(): Promise<void> {
  const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  await pool.query('UPDATE app_user SET operator = true WHERE id = $1', [fleet.workspace.userId])
  await pool.end()
  await page.goto('/admin')
  await page.getByRole('button', { name: /^Credit / }).click()
  await page.getByLabel('Amount in US dollars').fill('20')
  await page.getByLabel('Reference').fill('inv-1')
  await page.getByLabel('Reason').fill('paid by transfer')
  await isInOrder()
  await page.getByRole('button', { name: 'Credit', exact: true }).click()
  await page.getByText(/is credited; its balance is/).waitFor()
  await page.goto('/admin/users')
  await page.getByRole('table', { name: 'Users' }).waitFor()
  await isInOrder()
}

it('an empty wallet says so in the same words everywhere, and a top-up lets the work go on', async () => {
  const ask = { model: 'sim/large', body: { max_tokens: 16_384 } }
  const refused = await postChat(fleet, ask)
  expect([refused.status, await refused.json()]).toMatchObject([402, { error: { code: 'insufficient_balance' } }])
  await open('billing', 'Wallet')
  await page.getByRole('heading', { name: 'Available' }).waitFor()
  const { available_nano: available } = await readJson('/session/wallet')
  expect(BigInt(available)).toBeLessThan(parseUsd('0.16384'))
  await page.getByText('The operator of this installation credits wallets.').waitFor()
  await page.getByLabel('Alert below, in US dollars').fill('5')
  await page.keyboard.press('Enter')
  await page.getByText('Below $5.00', { exact: true }).waitFor()
  await isInOrder()
  await creditAsOperator()
  await eventually(async () => expect((await postChat(fleet, ask)).status).toBe(200), { withinMs: 45_000 })
  await open('billing/ledger', 'Ledger')
  await page.getByRole('row').filter({ hasText: '$20.00' }).filter({ hasText: 'inv-1' }).waitFor()
  await isInOrder()
}, 180_000)

it("tests a workspace's own key for a provider of the catalog, and charges nothing for it", async () => {
  await open('settings/provider-keys', 'Provider keys')
  const { balance_nano: before } = await readJson('/session/wallet')
  await page.getByRole('button', { name: 'Add a provider key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Provider' }).fill('sim')
  await page.getByRole('option', { name: /^sim( |$)/ }).click()
  await dialog.getByLabel(/^Key/).fill('sk-own-0123456789abcdef')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const works = page.getByText(/The key for sim works: sim\/\S+ answered in/)
  // Inference reads the key within a few seconds.
  await eventually(
    async () => {
      await page.getByRole('button', { name: 'Test the key for sim' }).click()
      return works.waitFor({ timeout: 1_000 }).then(
        () => true,
        () => null,
      )
    },
    { withinMs: 45_000, everyMs: 500 },
  )
  expect((await readJson('/session/wallet')).balance_nano).toBe(before)
  await isInOrder()
}, 180_000)

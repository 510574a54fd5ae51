import { parseUsd } from '@ratchet/contracts/money'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { ledgerOf } from './charge.ts'
import { type Fleet, startFleet } from './fleet.ts'

/* What the pages about money say after random traffic, compared with the ledger to the nano-dollar. */

const balanceUsd = '1.00'
const seed = Math.floor(Math.random() * 2 ** 31)
const random = seededRandom(seed)
let fleet: Fleet
let browser: Browser
let page: Page

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([startFleet({ dashboard: true, workspace: { balanceUsd } }), openBrowser()])
  page = (await visitSignedIn(fleet, browser)).page
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

/** A request of any API, model, length and tag; some fail, some end in the middle. */
function randomRequest(): { readonly path: string; readonly body: object; readonly headers: Record<string, string> } {
  const words = 'why is the sky blue '.repeat(1 + Math.floor(random() * 60))
  const messages = [{ role: 'user', content: words }]
  const limit = 1 + Math.floor(random() * 300)
  const stream = random() < 0.3
  const model = pick(['sim/small', 'sim/medium', 'sim/large', 'sim-anthropic/small', 'sim-google/small'])
  const chat = (more: object) => ({ path: '/v1/chat/completions', body: { model, messages, stream, ...more } })
  const request = pick([
    chat({ max_tokens: limit }),
    chat({ max_tokens: limit }),
    chat({ model: pick(['sim/fail-503', 'sim/cut-200', 'sim/none']) }),
    { path: '/v1/messages', body: { model, messages, stream, max_tokens: limit } },
    { path: '/v1/responses', body: { model, input: words, stream, max_output_tokens: limit + 16 } },
    { path: '/v1/embeddings', body: { model: 'sim/embed', input: words } },
  ])
  const tag = pick([null, 'support', 'sales', 'search'])
  return { ...request, headers: tag === null ? {} : { 'x-svc-tag': tag } }
}

async function sendRandom(): Promise<void> {
  const { path, body, headers } = randomRequest()
  const answer = await fetch(`${fleet.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fleet.workspace.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await answer.text().catch(() => undefined)
}

async function open(path: string): Promise<void> {
  await page.goto(`/w/${fleet.workspace.slug}/billing${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** Amounts in nano-dollars of a column of a table on the page. */
async function amounts(
  table: string,
  column: 'nth-child(3)' | 'nth-child(4)' | 'last-child',
): Promise<readonly bigint[]> {
  const rows = page.getByRole('table', { name: table, exact: true })
  await rows.locator('tbody tr').first().waitFor()
  const cells = await rows.locator(`tbody tr td:${column}`).allTextContents()
  return cells.map(nanoOf)
}

/** Reads an amount such as `−$0.000001234` to the nano-dollar. */
function nanoOf(text: string): bigint {
  const amount = parseUsd(text.replace(/[^\d.]/g, ''))
  return /^[-−–]/.test(text.trim()) ? -amount : amount
}

/** The amount that the page has under a name. */
async function amountOf(name: string): Promise<bigint> {
  const term = page.getByRole('term').filter({ hasText: new RegExp(`^${name.replace('+', '\\+')}$`) })
  return nanoOf((await term.locator('xpath=following-sibling::dd').textContent()) ?? '')
}

const sum = (list: readonly bigint[]) => list.reduce((total, each) => total + each, 0n)

/** The balance when all charges are in the ledger and counted as usage. */
async function settledBalance(): Promise<bigint> {
  const slug = fleet.workspace.slug
  return eventually(
    async () => {
      const { balance, violations } = await ledgerOf(fleet)
      const read = async (url: string) => (await (await fetch(url)).json()) as { charges_nano: string }
      const usage = await page.evaluate(read, `/api/w/${slug}/session/usage`)
      expect([violations, BigInt(usage.charges_nano)]).toEqual([[], parseUsd(balanceUsd) - balance])
      return balance
    },
    { withinMs: 45_000 },
  )
}

it('every page about money adds up to the ledger after random traffic', async () => {
  for (let lane = 0; lane < 20; lane += 1) await Promise.all(Array.from({ length: 5 }, sendRandom))
  const balance = await settledBalance()
  const charged = parseUsd(balanceUsd) - balance
  expect([seed, charged > 0n]).toEqual([seed, true])

  for (const group of ['key', 'model', 'tag', 'alias', 'purpose', 'day']) {
    await open(`/usage?group_by=${group}`)
    expect([seed, group, sum(await amounts('Usage', 'last-child'))]).toEqual([seed, group, charged])
  }

  await open('/ledger')
  const moved = await amounts('Entries of the ledger', 'nth-child(3)')
  const balances = await amounts('Entries of the ledger', 'nth-child(4)')
  expect(balances[0]).toBe(balance)
  expect(sum(moved)).toBe(balance)
  // Newest first: each balance is the one below it and its own amount.
  expect(balances).toEqual(moved.map((_, index) => sum(moved.slice(index))))

  await open('/statements')
  const closing = await amountOf('= Closing balance')
  expect(closing).toBe(balance)
  expect((await amountOf('Opening balance')) + (await amountOf('+ Credits')) - (await amountOf('− Charges'))).toBe(
    closing,
  )
  expect(sum(await amounts('Charges by model', 'last-child'))).toBe(charged)

  await open('')
  expect(await amountOf('Balance')).toBe(balance)
}, 300_000)

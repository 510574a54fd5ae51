import { formatUsd } from '@ratchet/contracts/money'
import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import { openaiFor, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
}, 60_000)
afterAll(() => fleet?.stop(), 60_000)
beforeEach(() => fleet.provider.reset())

function ledgerState() {
  return readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
}

/** The books once nothing is held any more. */
function settledLedger() {
  return eventually(async () => {
    const now = await ledgerState()
    return now.open === 0 && now.held === 0n ? now : null
  })
}

describe('the wallet', () => {
  it('serves exactly ten of 200 parallel requests when it covers ten', async () => {
    // 1 s of silence keeps all holds open at once, so that no settle frees money for an eleventh.
    const call = (apiKey: string) => postChat(fleet, { apiKey, model: 'sim/slow-1000', body: { max_tokens: 10 } })
    const probe = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: '1.00' })
    await call(probe.apiKey)
    const hold = await holdOf(probe.workspaceId)
    const { apiKey, workspaceId } = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: formatUsd(hold * 10n) })
    await fleet.provider.reset()

    const statuses = await Promise.all(Array.from({ length: 200 }, async () => (await call(apiKey)).status))

    expect(Map.groupBy(statuses, String)).toEqual(
      new Map([
        ['200', Array(10).fill(200)],
        ['402', Array(190).fill(402)],
      ]),
    )
    expect((await fleet.provider.report()).totals.requests).toBe(10)
    const after = await readLedger(fleet.databaseUrl, workspaceId)
    expect(after).toMatchObject({ held: 0n, open: 0, posted: 10, violations: [] })
  }, 30_000)

  it('refuses with 402 before any provider is called', async () => {
    const { apiKey } = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: '0.000001' })
    await expect(
      openaiFor(fleet, { apiKey }).chat.completions.create({
        model: 'sim/large',
        messages: [{ role: 'user', content: 'hi' }],
      }),
    ).rejects.toMatchObject({ status: 402, code: 'insufficient_balance', type: 'insufficient_quota' })
    expect((await fleet.provider.report()).totals.requests).toBe(0)
  })
})

describe('who pays when it breaks', () => {
  it.each([
    ['a provider that fails every time', 'sim/fail-500', false, 3],
    ['a provider that fails every time, streaming', 'sim/fail-503', true, 3],
    ['an answer that cannot be read', 'sim/malformed', false, 1],
    ['an answer cut short', 'sim/cut-50', false, 1],
  ])('charges nothing for %s', async (_name, model, stream, calls) => {
    const before = await ledgerState()
    const response = await postChat(fleet, { model, stream })
    const body = (await response.json()) as { error: { message: string; type: string; code: string | null } }
    expect([response.status, body.error.type, body.error.code]).toEqual([502, 'upstream_error', null])
    expect(body.error.message).toContain(response.headers.get('x-request-id'))
    expect((await fleet.provider.report()).totals.requests).toBe(calls)
    expect(await settledLedger()).toMatchObject({ balance: before.balance, violations: [] })
  })

  it('tries again when the provider failed before its first byte, and charges once', async () => {
    const before = await ledgerState()
    const response = await postChat(fleet, { model: 'sim/fail-503-2' })
    expect(response.status).toBe(200)
    expect((await fleet.provider.report()).totals.requests).toBe(3)
    const after = await settledLedger()
    expect(after.posted).toBe(before.posted + 1)
    expect(after.violations).toEqual([])
  })

  it('passes on why a provider refused the request', async () => {
    const response = await postChat(fleet, { model: 'sim/fail-400' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } })
    expect((await fleet.provider.report()).totals.requests).toBe(1)
  })

  it('takes an explicit zero as zero and counts when usage is missing', async () => {
    const start = await ledgerState()
    await (await postChat(fleet, { model: 'sim/zero-usage', stream: true })).text()
    const afterZero = await settledLedger()
    expect(afterZero.balance).toBe(start.balance)
    await (await postChat(fleet, { model: 'sim/no-usage', stream: true })).text()
    const afterMissing = await settledLedger()
    expect(afterMissing.balance).toBeLessThan(start.balance)
    expect(afterMissing.violations).toEqual([])
  })
})

/** What the workspace's only request held, nano-dollars. */
async function holdOf(workspaceId: string): Promise<bigint> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ hold: string }>('SELECT hold FROM billing_request WHERE wallet_id = $1', [
    workspaceId,
  ])
  await client.end()
  return BigInt(rows[0]?.hold ?? 0)
}

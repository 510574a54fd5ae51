import { formatUsd } from '@ratchet/contracts/money'
import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { openaiFor, postChat } from './clients.ts'
import { onlyHold, readLedger } from './ledger-oracle.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'

let fleet: SharedFleet

beforeAll(async () => {
  fleet = await shareFleet()
}, 180_000)
beforeEach(() => fleet.provider.reset())

function ledgerState() {
  return readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
}

/** The ledger when nothing is held. */
function settledLedger() {
  return eventually(async () => {
    const now = await ledgerState()
    return now.open === 0 && now.held === 0n ? now : null
  })
}

describe('the wallet', () => {
  it('serves exactly ten of 200 parallel requests when it covers ten', async () => {
    // The provider waits until all 200 requests have arrived, so that no settlement frees money for an eleventh.
    const call = (apiKey: string) => postChat(fleet, { apiKey, model: 'sim/slow-5000', body: { max_tokens: 10 } })
    const probe = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: '1.00' })
    await call(probe.apiKey)
    const hold = await onlyHold(fleet.databaseUrl, probe.workspaceId)
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
  }, 180_000)

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

describe('a failed request', () => {
  it.each([
    ['a provider that fails every time', 'sim/fail-500', false, 3],
    ['a provider that fails every time, streaming', 'sim/fail-503', true, 3],
    ['an answer that cannot be read', 'sim/malformed', false, 1],
    ['an answer cut short', 'sim/cut-50', false, 1],
  ])('is not charged: %s', async (_name, model, stream, calls) => {
    const before = await ledgerState()
    const response = await postChat(fleet, { model, stream })
    const body = (await response.json()) as { error: { message: string; type: string; code: string | null } }
    expect([response.status, body.error.type, body.error.code]).toEqual([502, 'upstream_error', null])
    expect(body.error.message).toContain(response.headers.get('x-request-id'))
    expect((await fleet.provider.report()).totals.requests).toBe(calls)
    expect(await settledLedger()).toMatchObject({ balance: before.balance, violations: [] })
  })

  it('is retried when the provider fails before its first byte, and charged once', async () => {
    const before = await ledgerState()
    const response = await postChat(fleet, { model: 'sim/fail-503-2' })
    expect(response.status).toBe(200)
    expect((await fleet.provider.report()).totals.requests).toBe(3)
    const after = await settledLedger()
    expect(after.posted).toBe(before.posted + 1)
    expect(after.violations).toEqual([])
  })

  it('returns the reason of a provider that refused it', async () => {
    const response = await postChat(fleet, { model: 'sim/fail-400' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } })
    expect((await fleet.provider.report()).totals.requests).toBe(1)
  })

  it('is charged nothing for a usage of zero, and by our own count when usage is missing', async () => {
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

import { countingUuids } from '@ratchet/testing/counting-ids'
import { LedgerUnavailable } from './ledger.ts'
import { createMemoryLedger } from './memory-ledger.ts'
import { createShardedLedger } from './sharded-ledger.ts'

const newId = countingUuids()

function fixture() {
  const state = { isKnown: true }
  const [a, b] = [createMemoryLedger(), createMemoryLedger()]
  const names = new Map<string, string>()
  const workspaces = {
    async of(id: string) {
      if (!state.isKnown) throw new LedgerUnavailable('ECONNREFUSED', { uncertain: false })
      return names.get(id) ?? 'main'
    },
  }
  const ledgers = new Map([
    ['main', a],
    ['b', b],
  ])
  const workspaceId = newId()
  names.set(workspaceId, 'b')
  b.topUp(workspaceId, 1_000n)
  const priced = { kind: 'chat', model: 'sim/large', priceVersion: '1' }
  const hold = { billingId: newId(), workspaceId, amountNano: 100n, ...priced }
  return { ledger: createShardedLedger({ ledgers, workspaces }), state, names, hold, a, b }
}

it('charges a request of this process while it is not known where its workspace is', async () => {
  const { ledger, state, hold, b } = fixture()
  expect(await ledger.hold(hold)).toBe('held')
  state.isKnown = false
  expect((await ledger.settle({ ...hold, costNano: 40n })).chargedNano).toBe(40n)
  expect(b.wallet(hold.workspaceId)).toEqual({ balanceNano: 960n, heldNano: 0n })
})

it('holds nothing, charges nothing and releases nothing then for other requests', async () => {
  const { ledger, state, hold } = fixture()
  state.isKnown = false
  await expect(ledger.hold(hold)).rejects.toBeInstanceOf(LedgerUnavailable)
  await expect(ledger.settle({ ...hold, costNano: 40n })).rejects.toMatchObject({ code: 'service_unavailable' })
  await ledger.release(hold.billingId, hold.workspaceId)
})

it('fails, and does not refuse, for a ledger that the process does not have', async () => {
  const { ledger, names, hold } = fixture()
  names.set(hold.workspaceId, 'c')
  await expect(ledger.hold(hold)).rejects.toBeInstanceOf(LedgerUnavailable)
})

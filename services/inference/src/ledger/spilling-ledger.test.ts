import { countingUuids } from '@ratchet/testing/counting-ids'
import { eventually } from '@ratchet/testing/eventually'
import { type Closing, type LedgerEvent, LedgerUnavailable } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'
import { createMemoryLedger, type MemoryLedger } from './memory-ledger.ts'
import type { Spill } from './spill-store.ts'
import { createSpillingLedger } from './spilling-ledger.ts'

const newId = countingUuids()
const workspaceId = newId()
const holdOf = (billingId: string) => ({
  billingId,
  workspaceId,
  amountNano: 100n,
  kind: 'chat',
  model: 'sim/large',
  priceVersion: '1',
})
const unavailable = (uncertain = true) => new LedgerUnavailable('unavailable', { uncertain })
const never = new Promise<never>(() => undefined)

/** A ledger over a store in memory that can be unavailable, beside a spill in memory. */
function testLedger({ entries = new Map<string, Closing>(), ledgerState = newLedgerState() } = {}) {
  const events: LedgerEvent['kind'][] = []
  const errors: unknown[] = []
  const database: { close: LedgerStore['close']; hold: LedgerStore['hold'] } = {
    close: ledgerState.close,
    hold: ledgerState.hold,
  }
  const disk = { isFull: false }
  const spill: Spill = {
    put: async (closing) => {
      if (!disk.isFull) entries.set(closing.billingId, closing)
      return !disk.isFull
    },
    remove: async (billingId) => void entries.delete(billingId),
    list: async () => [...entries.values()],
  }
  const ledger = createSpillingLedger({
    store: { ...ledgerState, close: (closing) => database.close(closing), hold: (hold) => database.hold(hold) },
    spill,
    onEvent: ({ kind }) => events.push(kind),
    onError: (error) => errors.push(error),
    waitMs: 30,
  })
  const isBack = () => Object.assign(database, { close: ledgerState.close, hold: ledgerState.hold })
  return { ledger, ledgerState, entries, events, errors, database, disk, isBack }
}

function newLedgerState(): MemoryLedger {
  const ledgerState = createMemoryLedger()
  ledgerState.topUp(workspaceId, 1_000n)
  return ledgerState
}

it('settles at once while the database answers, and spills nothing', async () => {
  const { ledger, ledgerState, events } = testLedger()
  const billingId = newId()
  await ledger.hold(holdOf(billingId))
  expect(await ledger.settle({ billingId, workspaceId, costNano: 40n })).toEqual({ chargedNano: 40n, committed: true })
  expect(ledgerState.wallet(workspaceId)).toEqual({ balanceNano: 960n, heldNano: 0n })
  expect(events).toEqual([])
})

it('retries within its time when the database is unavailable for a moment', async () => {
  const { ledger, database, isBack } = testLedger()
  const billingId = newId()
  await ledger.hold(holdOf(billingId))
  database.close = async () => {
    isBack()
    throw unavailable()
  }
  expect(await ledger.settle({ billingId, workspaceId, costNano: 40n })).toEqual({ chargedNano: 40n, committed: true })
})

it.each([
  ['fails', () => Promise.reject(unavailable())],
  ['does not answer', () => never],
  ['answers with a bug', () => Promise.reject(new Error('bug'))],
])('resolves once the closing is spilled when the database %s', async (_, close) => {
  const { ledger, ledgerState, entries, events, database, isBack } = testLedger()
  const billingId = newId()
  await ledger.hold(holdOf(billingId))
  database.close = close
  expect(await ledger.settle({ billingId, workspaceId, costNano: 40n })).toEqual({ chargedNano: 40n, committed: false })
  expect([...entries.keys()]).toEqual([billingId])
  isBack()
  expect(await ledger.replay()).toBe(0)
  expect(entries.size).toBe(0)
  expect(ledgerState.wallet(workspaceId)).toEqual({ balanceNano: 960n, heldNano: 0n })
  expect(events).toEqual(['spill', 'replay'])
})

it('accepts a late answer, and removes the closing from the spill', async () => {
  const { ledger, ledgerState, entries, events, database } = testLedger()
  const billingId = newId()
  await ledger.hold(holdOf(billingId))
  let answer: () => void = () => undefined
  database.close = async (closing) => {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return ledgerState.close(closing)
  }
  await ledger.settle({ billingId, workspaceId, costNano: 40n })
  expect(entries.size).toBe(1)
  answer()
  await eventually(() => entries.size === 0)
  expect(events).toEqual(['spill', 'replay'])
})

it('replays what another process spilled, any number of times with the same result', async () => {
  const billingId = newId()
  const closing: Closing = { billingId, workspaceId, costNano: 40n, outcome: 'posted' }
  const { ledger, ledgerState, entries } = testLedger()
  await ledgerState.hold(holdOf(billingId))
  for (let round = 0; round < 3; round += 1) {
    entries.set(billingId, closing)
    expect(await ledger.replay()).toBe(0)
    expect(ledgerState.wallet(workspaceId)).toEqual({ balanceNano: 960n, heldNano: 0n })
  }
})

it('drops a spilled closing that can never succeed, and reports it', async () => {
  const { ledger, entries, errors } = testLedger()
  const [billingId, outsider] = [newId(), newId()]
  await ledger.hold(holdOf(billingId))
  entries.set(billingId, { billingId, workspaceId: outsider, costNano: 40n, outcome: 'posted' })
  expect(await ledger.replay()).toBe(0)
  expect([entries.size, errors]).toEqual([0, [expect.any(RangeError)]])
})

it('keeps a closing in memory when it cannot be spilled, reports it, and replays it', async () => {
  const { ledger, ledgerState, entries, events, database, disk, isBack } = testLedger()
  const billingId = newId()
  await ledger.hold(holdOf(billingId))
  disk.isFull = true
  database.close = () => Promise.reject(unavailable())
  await ledger.settle({ billingId, workspaceId, costNano: 40n })
  expect([entries.size, events]).toEqual([0, ['spill_failed']])
  isBack()
  expect(await ledger.replay()).toBe(0)
  expect(ledgerState.wallet(workspaceId)).toEqual({ balanceNano: 960n, heldNano: 0n })
})

it('counts the waiting closings, and leaves them in the spill at the end', async () => {
  const { ledger, entries, database, disk } = testLedger()
  const billingId = newId()
  await ledger.hold(holdOf(billingId))
  disk.isFull = true
  database.close = () => Promise.reject(unavailable())
  await ledger.release(billingId, workspaceId)
  expect(await ledger.replay()).toBe(1)
  disk.isFull = false
  await ledger.leave()
  expect([...entries.values()]).toEqual([{ billingId, workspaceId, costNano: 0n, outcome: 'voided' }])
})

it('releases a hold of which it does not know whether it was taken', async () => {
  const { ledger, ledgerState, database, isBack } = testLedger()
  const billingId = newId()
  database.hold = async (hold) => {
    await ledgerState.hold(hold)
    throw unavailable()
  }
  await expect(ledger.hold(holdOf(billingId))).rejects.toThrow('unavailable')
  expect(ledgerState.wallet(workspaceId).heldNano).toBe(100n)
  isBack()
  expect(await ledger.replay()).toBe(0)
  expect(ledgerState.wallet(workspaceId)).toEqual({ balanceNano: 1_000n, heldNano: 0n })
})

it('does nothing about a hold that was certainly not taken', async () => {
  const { ledger, database } = testLedger()
  database.hold = () => Promise.reject(unavailable(false))
  await expect(ledger.hold(holdOf(newId()))).rejects.toThrow('unavailable')
  expect(await ledger.replay()).toBe(0)
})

it('rejects a malformed settle, which a repetition cannot repair', async () => {
  const { ledger, entries } = testLedger()
  await expect(ledger.settle({ billingId: 'x', workspaceId, costNano: 1n })).rejects.toThrow(RangeError)
  expect(entries.size).toBe(0)
})

it('flushes: every closing so far is committed or spilled', async () => {
  const { ledger, entries, database } = testLedger()
  const billingId = newId()
  await ledger.hold(holdOf(billingId))
  database.close = () => never
  void ledger.settle({ billingId, workspaceId, costNano: 40n })
  await ledger.flush()
  expect(entries.size).toBe(1)
})

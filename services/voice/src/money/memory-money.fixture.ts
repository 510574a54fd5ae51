import { randomUUID } from 'node:crypto'
import type { CallMeterEvents, PaidCall } from '../calls/call-money.ts'
import type { CallLedger, SliceHold } from './call-ledger.ts'
import { createCallMoney } from './create-call-money.ts'
import { createPriceBook } from './price-book.ts'
import { createSliceCheckpoints } from './slice-checkpoints.ts'
import type { SliceJournal, SliceUse, StoredSlice } from './slice-journal.ts'

interface Held {
  amountNano: bigint
  checkpointNano: bigint
  chargedNano: bigint | null
}

/** The ledger of inference, as far as calls see it. */
export function memoryLedger(balanceNano: bigint) {
  const holds = new Map<string, Held>()
  const state = { balanceNano, isDown: false }
  const held = () =>
    [...holds.values()].reduce((sum, { amountNano, chargedNano }) => sum + (chargedNano === null ? amountNano : 0n), 0n)
  const answer = <T>(work: () => T) => (state.isDown ? Promise.reject(new Error('down')) : Promise.resolve(work()))
  const close = ({ holdId }: SliceHold, costNano: bigint) => {
    const hold = holds.get(holdId) ?? { amountNano: 0n, checkpointNano: 0n, chargedNano: null }
    holds.set(holdId, hold)
    if (hold.chargedNano !== null) return hold.chargedNano
    hold.chargedNano = costNano < hold.amountNano ? costNano : hold.amountNano
    state.balanceNano -= hold.chargedNano
    return hold.chargedNano
  }
  const ledger: CallLedger = {
    available: () => answer(() => state.balanceNano - held()),
    hold: ({ holdId, amountNano }) =>
      answer(() => {
        const known = holds.get(holdId)
        if (known !== undefined) return known.chargedNano === null ? ('held' as const) : ('closed' as const)
        if (state.balanceNano - held() < amountNano) return 'refused' as const
        holds.set(holdId, { amountNano, checkpointNano: 0n, chargedNano: null })
        return 'held' as const
      }),
    checkpoint: (_owner, slices) =>
      answer(() => {
        for (const { holdId, costNano } of slices) {
          const hold = holds.get(holdId)
          if (hold !== undefined && costNano > hold.checkpointNano) hold.checkpointNano = costNano
        }
      }),
    settle: (slice, costNano) => answer(() => close(slice, costNano)),
    release: (slice) => answer(() => close(slice, 0n)),
    charges: () => answer(() => new Map()),
  }
  return { ledger, state, holds, held }
}

export function memoryJournal(): SliceJournal & { readonly rows: StoredSlice[] } {
  const rows: StoredSlice[] = []
  const change = (
    { callId, number }: { callId: string; number: number },
    states: readonly string[],
    to: (row: StoredSlice) => StoredSlice,
  ) => {
    const index = rows.findIndex((row) => row.callId === callId && row.number === number && states.includes(row.state))
    const row = rows[index]
    if (row !== undefined) rows[index] = to(row)
  }
  const used = (row: StoredSlice, { usage, costNano }: SliceUse): StoredSlice => ({ ...row, usage, costNano })
  return {
    rows,
    async open(slice) {
      if (rows.some(({ callId, number }) => callId === slice.callId && number === slice.number)) return
      const usage = { answeredMs: 0, recognizedMs: 0, spokenCharacters: 0 }
      rows.push({ ...slice, state: 'held', usage, costNano: 0n, chargedNano: null, updatedAt: new Date() })
    },
    async checkpoint(uses) {
      for (const use of uses) change(use, ['held'], (row) => used(row, use))
    },
    async end(use) {
      change(use, ['held'], (row) => ({ ...used(row, use), state: 'ended' }))
    },
    async close(key, state, chargedNano) {
      change(key, ['held', 'ended'], (row) => ({ ...row, state, chargedNano }))
    },
    of: async ({ callId }) => rows.filter((row) => row.callId === callId),
    unfinished: async () => rows.filter(({ state }) => state === 'held' || state === 'ended'),
  }
}

const rates = [
  {
    id: 'r',
    kind: 'recognition' as const,
    provider: 'sim',
    nano_per_minute: 6_000_000,
    increment_ms: 1_000,
    minimum_ms: 0,
  },
  { id: 's', kind: 'synthesis' as const, provider: 'sim', nano_per_character: 10_000 },
]
export const testPrices = createPriceBook(rates, 1_200_000)

/** Money of calls in memory, with a clock that the test moves. */
export function testMoney(balanceNano = 10_000_000_000n) {
  const { ledger, state, holds, held } = memoryLedger(balanceNano)
  const journal = memoryJournal()
  const clock = { ms: 0 }
  const late: unknown[] = []
  /** A process of the service; a new worker each time. */
  const worker = () => {
    const checkpoints = createSliceCheckpoints({ ownerId: randomUUID(), journal, ledger, onError: () => undefined })
    const onLate = (cause: unknown) => late.push(cause)
    const deps = {
      ledger,
      journal,
      checkpoints,
      prices: testPrices,
      delay: async () => undefined,
      onLate,
      nowMs: () => clock.ms,
    }
    return { ...createCallMoney(deps), checkpoints }
  }
  const call: PaidCall = {
    workspaceId: randomUUID(),
    callId: randomUUID(),
    agentId: randomUUID(),
    env: 'live',
    telephony: null,
    voice: 'sim/readable',
    recognizer: 'sim',
    model: 'sim/assistant',
  }
  return { ledger, state, holds, held, journal, clock, late, worker, call }
}

export function heardEvents() {
  const heard: string[] = []
  const events: CallMeterEvents = {
    onLow: (leftMs) => heard.push(`low ${leftMs}`),
    onEmpty: (reason) => heard.push(reason),
  }
  return { heard, events }
}

import type { CallEnd, StoredCall } from './call.ts'
import type { CallMoney, PaidCall } from './call-money.ts'
import type { CallUpkeep } from './call-work.ts'

export interface UpkeepDeps {
  readonly upkeep: CallUpkeep
  readonly money: Pick<CallMoney, 'release'>
  readonly paidCallOf: (call: StoredCall) => Promise<PaidCall>
  /** A monotonic clock. */
  readonly nowMs: () => number
}

/** A call ends when its worker or its caller has been away for that long. */
export const maxAwayMs = 20_000
/** After a failure of the database, workers have that long to say that they still hold their calls. */
const mercyMs = 10_000
const atOnce = 50

const notConnected: CallEnd = { status: 'no_answer', reason: 'no_answer', by: 'caller' }
const notDialed: CallEnd = { status: 'failed', reason: 'carrier_unavailable', by: 'system' }

/** Ends calls that nobody holds and nobody answers. To be called every few seconds, by any number of processes. */
export function createCallUpkeep({ upkeep, money, paidCallOf, nowMs }: UpkeepDeps): () => Promise<void> {
  let notBeforeMs = Number.NEGATIVE_INFINITY

  async function endUnanswered(): Promise<void> {
    for (const call of await upkeep.unanswered(atOnce)) {
      await money.release(await paidCallOf(call))
      await upkeep.endWaiting(call, call.type === 'web' ? notConnected : notDialed)
    }
  }

  return async () => {
    try {
      if (nowMs() >= notBeforeMs) await upkeep.endAbandoned(maxAwayMs)
      await endUnanswered()
      await upkeep.sweep(atOnce)
    } catch (error) {
      notBeforeMs = nowMs() + mercyMs
      throw error
    }
  }
}

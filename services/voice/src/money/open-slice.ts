import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { PaidCall } from '../calls/call-money.ts'
import type { CallLedger } from './call-ledger.ts'
import type { CallRates } from './price-book.ts'
import type { SliceJournal } from './slice-journal.ts'

/** A slice that is held. */
export interface HeldSlice {
  readonly number: number
  readonly holdId: string
  readonly amountNano: bigint
}

export interface AskedSlice {
  readonly number: number
  readonly rates: CallRates
  readonly amountNano: bigint
}

/** `closed`: it was held before, and is no longer. @throws when it is not known whether it is held */
export type OpenSlice = (call: PaidCall, asked: AskedSlice) => Promise<HeldSlice | 'refused' | 'closed'>

/** The id by which the ledger knows a slice. */
export function holdIdOf(callId: string, number: number): string {
  return deterministicId('slice of a call', callId, String(number))
}

/**
 * Writes a slice down and holds it. Repeating it changes nothing but its owner.
 *
 * @param ownerId the worker; null: nobody has the call yet
 */
export function createOpenSlice(
  { journal, ledger }: { readonly journal: SliceJournal; readonly ledger: CallLedger },
  ownerId: string | null,
): OpenSlice {
  return async (call, { number, rates, amountNano }) => {
    const { workspaceId, callId, agentId, voice } = call
    const holdId = holdIdOf(callId, number)
    const key = { workspaceId, callId, number }
    await journal.open({ ...key, holdId, rates, amountNano })
    const outcome = await ledger.hold({ workspaceId, holdId, agentId, voice, ownerId, amountNano })
    if (outcome === 'held') return { number, holdId, amountNano }
    if (outcome === 'refused') {
      // Nothing is held, and no repetition that is still under way may hold it.
      await ledger.release({ workspaceId, holdId })
      await journal.close(key, 'released', 0n)
    }
    return outcome
  }
}

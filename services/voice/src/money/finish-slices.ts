import type { CallLedger } from './call-ledger.ts'
import type { SliceJournal, SliceUse, StoredSlice } from './slice-journal.ts'

export interface FinishDeps {
  readonly journal: SliceJournal
  readonly ledger: CallLedger
  /** Waits so many milliseconds between two attempts. */
  readonly delay: (ms: number) => Promise<unknown>
  /** A slice could not be charged for now. It is charged later. */
  readonly onLate: (cause: unknown) => void
}

type EndedSlice = Pick<StoredSlice, 'workspaceId' | 'callId' | 'number' | 'holdId' | 'costNano'>

const attempts = 4

/**
 * Charges a slice whose use is written down, or gives back one that was not used. Every step may be repeated, by any process.
 *
 * @returns what it was charged
 */
export async function chargeSlice({ journal, ledger }: Pick<FinishDeps, 'journal' | 'ledger'>, slice: EndedSlice) {
  const { costNano } = slice
  const chargedNano = costNano > 0n ? await ledger.settle(slice, costNano) : await ledger.release(slice)
  // One that was released may have been charged before, at a checkpoint that the journal has not.
  await journal.close(slice, costNano > 0n || chargedNano > 0n ? 'posted' : 'released', chargedNano)
  return chargedNano
}

/**
 * Ends a slice and charges it. When that fails for some seconds, others do: at this use if it could be written down, else at that
 * of its last checkpoint.
 */
export async function endSlice(deps: FinishDeps, slice: SliceUse & Pick<StoredSlice, 'holdId'>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await deps.journal.end(slice)
      await chargeSlice(deps, slice)
      return
    } catch (cause) {
      if (attempt === attempts) return deps.onLate(cause)
      await deps.delay(200 * 2 ** attempt)
    }
  }
}

/** Milliseconds without a word from its worker after which a slice has none. */
const silentMs = 60_000

/**
 * Charges what workers left: slices that have ended, and those of workers that are gone, at their last checkpoint. One that looks
 * forgotten must look the same at the next sweep: after an outage of the database, its worker writes first.
 */
export function createSliceSweep({ journal, ledger, onLate }: Omit<FinishDeps, 'delay'>) {
  let suspects: ReadonlyMap<string, number> = new Map()
  return {
    /** @returns how many were charged or given back */
    async sweep(): Promise<number> {
      const found = await journal.unfinished(silentMs, 500)
      const seen = new Map(found.map((slice) => [slice.holdId, slice.updatedAt.getTime()]))
      const isForgotten = ({ holdId, state }: StoredSlice) =>
        state === 'ended' || suspects.get(holdId) === seen.get(holdId)
      let finished = 0
      for (const slice of found.filter(isForgotten)) {
        try {
          await journal.end(slice)
          await chargeSlice({ journal, ledger }, slice)
          finished += 1
        } catch (cause) {
          onLate(cause)
        }
      }
      suspects = seen
      return finished
    },
  }
}

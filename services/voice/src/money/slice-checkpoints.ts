import type { CallLedger } from './call-ledger.ts'
import type { SliceJournal, SliceUse, StoredSlice } from './slice-journal.ts'

export type SliceReport = SliceUse & Pick<StoredSlice, 'holdId'>

export interface SliceCheckpointsDeps {
  readonly ownerId: string
  readonly journal: Pick<SliceJournal, 'checkpoint'>
  readonly ledger: Pick<CallLedger, 'checkpoint'>
  readonly onError: (error: unknown) => void
}

/** Checkpoints of all slices of a worker, together. */
export interface SliceCheckpoints {
  /** UUID of the worker, new for each start. */
  readonly ownerId: string
  /** What a slice has cost until now; also that it is held. */
  note(report: SliceReport): void
  forget(holdId: string): void
  /** To be called every second. Never rejects: what fails is repeated by the next one. */
  flush(): Promise<void>
}

const atOnce = 1_000

export function createSliceCheckpoints({ ownerId, journal, ledger, onError }: SliceCheckpointsDeps): SliceCheckpoints {
  const reports = new Map<string, SliceReport>()
  return {
    ownerId,
    note: (report) => void reports.set(report.holdId, report),
    forget: (holdId) => void reports.delete(holdId),
    async flush() {
      const all = [...reports.values()]
      for (let start = 0; start < all.length; start += atOnce) {
        const some = all.slice(start, start + atOnce)
        const written = await Promise.allSettled([ledger.checkpoint(ownerId, some), journal.checkpoint(some)])
        for (const each of written) if (each.status === 'rejected') onError(each.reason)
      }
    },
  }
}

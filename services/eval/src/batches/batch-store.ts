import type { BatchError } from '@ratchet/contracts/batches'
import type { ItemStore, Lease } from '@ratchet/work-kit/leases/leased-item'
import type { RunLeases } from '@ratchet/work-kit/leases/pg-run-leases'
import type { Batch, EndedLine, LeasedBatch, LeasedLine, LineEnd, NewBatch, PricedRequest } from './batch.ts'

export interface BatchKey {
  readonly workspaceId: string
  readonly id: string
}

export interface BatchEnd {
  readonly status: 'completed' | 'expired' | 'cancelled'
  readonly outputFileId: string | null
  readonly errorFileId: string | null
}

export interface BatchStore extends RunLeases<LeasedBatch> {
  /** Creates a batch whose file is checked. Null when the workspace has as many unfinished ones as it may. */
  create(batch: NewBatch): Promise<Batch | null>
  addLines(batch: BatchKey, requests: readonly PricedRequest[]): Promise<void>
  /** Ends the check: its requests may run. */
  begin(batch: BatchKey, begun: { readonly model: string | null; readonly at: Date }): Promise<Batch>
  /** Ends the check of a wrong file, or one that was left unfinished. */
  fail(batch: BatchKey, failed: { readonly errors: readonly BatchError[]; readonly at: Date }): Promise<Batch | null>
  /** Deletes one that has not begun. */
  discard(batch: BatchKey): Promise<void>
  get(batch: BatchKey): Promise<Batch | null>
  /** Newest first. */
  list(where: {
    readonly workspaceId: string
    readonly limit: number
    readonly after: string | null
  }): Promise<readonly Batch[]>
  /** Null when there is none that runs. */
  cancel(batch: BatchKey, at: Date): Promise<Batch | null>
  /** Ends the lines that no worker has begun. Whether a worker still has one. */
  endPending(batch: BatchKey, error: 'batch_expired' | 'batch_cancelled'): Promise<{ readonly isBusy: boolean }>
  /** Says that the files are written. */
  finalize(batch: Lease, at: Date): Promise<boolean>
  /** Saves the end with its counts and deletes the lines. False when the lease was lost. */
  finish(batch: Lease, end: BatchEnd, at: Date): Promise<boolean>
}

export interface BegunLine {
  /** What the batch reserves then, nano-dollars. */
  readonly reservedNano: bigint
  /** Whether the key that created the batch, or without one its user, may still send requests. */
  readonly mayRun: boolean
}

export interface LineStore extends ItemStore<LeasedLine> {
  complete(line: Lease, end: LineEnd): Promise<boolean>
  /** Takes the line out of what its batch reserves, once. */
  begin(line: LeasedLine): Promise<BegunLine>
  /** Whether every line of the batch has ended. */
  isOver(batch: BatchKey): Promise<boolean>
  /** Lines with an answer, or those without, in the order of the file. */
  ended(
    batch: BatchKey,
    page: { readonly isAnswered: boolean; readonly after: number; readonly limit: number },
  ): Promise<readonly EndedLine[]>
}

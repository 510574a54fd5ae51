import type { EvalStatus } from '@ratchet/contracts/evals'
import type { Lease } from '@ratchet/work-kit/leases/leased-item'
import type { RunLeases } from '@ratchet/work-kit/leases/pg-run-leases'
import type { PlannedSample } from '../samples/sample.ts'
import type { EvalEnd, EvalProgress, EvalRun, LeasedEval, NewEval } from './eval-run.ts'

export interface EvalFilter {
  readonly workspaceId: string
  readonly status?: EvalStatus | undefined
  readonly baselineModel?: string | undefined
  readonly candidateModel?: string | undefined
  readonly limit: number
  readonly offset: number
}

export interface EvalStore extends RunLeases<LeasedEval> {
  create(run: NewEval): Promise<EvalRun>
  get(where: { readonly workspaceId: string; readonly id: string }): Promise<EvalRun | null>
  /** Newest first. */
  list(where: EvalFilter): Promise<{ readonly total: number; readonly runs: readonly EvalRun[] }>
  /** Keyed by eval id. An eval without samples is absent. */
  progress(ids: readonly string[]): Promise<ReadonlyMap<string, EvalProgress>>
  countDone(workspaceId: string): Promise<number>
  /** Number of evals that have not begun and take their prompts from the dataset with this public id. */
  countDatasetReaders(workspaceId: string, datasetId: string): Promise<number>
  /** Cancels an unfinished eval. Null when there is no such eval or it has ended. */
  cancel(where: { readonly workspaceId: string; readonly id: string }, at: Date): Promise<EvalRun | null>
  /**
   * Ends the pending samples of a RUNNING eval, because its question is answered. Samples in progress finish. Nothing is
   * held or charged for a sample that no worker has begun.
   */
  skipPending(where: { readonly workspaceId: string; readonly id: string }): Promise<void>
  /** Saves the samples and starts the eval in one transaction. False when the lease was lost or the eval cancelled. */
  begin(run: Lease, samples: readonly PlannedSample[]): Promise<boolean>
  /** Ends an eval; for a cancelled one only the report is saved. False when the lease was lost. */
  finish(run: Lease, end: EvalEnd, at: Date): Promise<boolean>
}

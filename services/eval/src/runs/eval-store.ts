import type { EvalStatus } from '@ratchet/contracts/evals'
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

type Lease = Pick<LeasedEval, 'id' | 'generation'>

export interface EvalStore {
  create(run: NewEval): Promise<EvalRun>
  get(where: { readonly workspaceId: string; readonly id: string }): Promise<EvalRun | null>
  /** Newest first. */
  list(where: EvalFilter): Promise<{ readonly total: number; readonly runs: readonly EvalRun[] }>
  /** Keyed by eval id. An eval without samples is absent. */
  progress(ids: readonly string[]): Promise<ReadonlyMap<string, EvalProgress>>
  countDone(workspaceId: string): Promise<number>
  /** Cancels an unfinished eval. Null when there is no such eval or it has ended. */
  cancel(where: { readonly workspaceId: string; readonly id: string }, at: Date): Promise<EvalRun | null>
  /** Leases an eval. Null when it needs no work or another process holds the lease. */
  lease(id: string, leaseMs: number): Promise<LeasedEval | null>
  renew(run: Lease, leaseMs: number): Promise<void>
  /** Saves the samples and starts the eval in one transaction. False when the lease was lost or the eval cancelled. */
  begin(run: Lease, samples: readonly PlannedSample[]): Promise<boolean>
  /** Ends an eval; for a cancelled one only the report is saved. False when the lease was lost. */
  finish(run: Lease, end: EvalEnd, at: Date): Promise<boolean>
  /** Returns the lease, to retry after the delay or to wait for the samples. */
  release(run: Lease, waiting: { readonly delayMs: number; readonly hasFailed: boolean }): Promise<void>
  /** Ids of evals that need a worker because none of their samples is unfinished. */
  ready(limit: number): Promise<readonly string[]>
}

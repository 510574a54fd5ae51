import type { RunLeases } from '@ratchet/work-kit/leases/pg-run-leases'

export type RunKind =
  | 'calibration'
  | 'scan'
  | 'suggestion'
  | 'improvement'
  | 'drift_replay'
  | 'cascade_calibration'
  | 'cascade_scan'
  | 'round'
export type RunStatus = 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED' | 'VOIDED'

/** Background work of a judge. It plans judgements and computes a result from them. */
export interface JudgeRun {
  readonly id: string
  readonly workspaceId: string
  /** Null for suggestions, which have no criterion yet. */
  readonly criterionId: string | null
  readonly kind: RunKind
  readonly status: RunStatus
  /** The criterion's instrument when the run began. */
  readonly instrument: number
  readonly judgeModel: string
  readonly promptSha256: string
  /** The request as JSON; its shape depends on the kind. */
  readonly request: unknown
  /** The result, or an intermediate one; its shape depends on the kind. */
  readonly result: unknown
  readonly error: string | null
  /** Number of planned judgements; null before they are planned. */
  readonly rowsTotal: number | null
  readonly maxCostNano: bigint | null
  readonly createdBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
  readonly voidedAt: Date | null
  readonly voidReason: string | null
}

export interface LeasedRun extends JudgeRun {
  readonly generation: number
  /** Leases since the last finished step. */
  readonly attempts: number
}

export type RunStep =
  /** Judgements are planned; the run continues when they are over. */
  | { readonly kind: 'wait'; readonly rowsTotal: number; readonly result?: unknown }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly error: string; readonly result?: unknown }

export type NewRun = Omit<
  JudgeRun,
  'status' | 'result' | 'error' | 'rowsTotal' | 'finishedAt' | 'voidedAt' | 'voidReason'
>

export interface RunStore extends RunLeases<LeasedRun> {
  create(run: NewRun): Promise<JudgeRun>
  get(where: { readonly workspaceId: string; readonly id: string; readonly kind: RunKind }): Promise<JudgeRun | null>
  /** Newest first. */
  list(where: RunFilter): Promise<{ readonly total: number; readonly runs: readonly JudgeRun[] }>
  /** Saves a step and releases the lease. False when the lease was lost or the run is over, for example voided. */
  advance(run: Pick<LeasedRun, 'id' | 'generation'>, step: RunStep, at: Date): Promise<boolean>
}

export interface RunFilter {
  readonly workspaceId: string
  /** Null for runs of no judge. */
  readonly criterionId: string | null
  readonly kind: RunKind
  readonly limit: number
  readonly offset: number
}

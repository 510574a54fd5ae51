export type RunKind = 'calibration' | 'scan' | 'suggestion' | 'improvement' | 'drift_replay'
export type RunStatus = 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED' | 'VOIDED'

/** A piece of background work of a judge, of which judgements are the steps. */
export interface JudgeRun {
  readonly id: string
  readonly workspaceId: string
  /** Null for suggestions, which have no criterion yet. */
  readonly criterionId: string | null
  readonly kind: RunKind
  readonly status: RunStatus
  /** Of the criterion when it began. */
  readonly instrument: number
  readonly judgeModel: string
  readonly promptSha256: string
  /** As it was asked for: JSON of one shape per kind. */
  readonly request: unknown
  /** What came of it, or of its steps so far: JSON of one shape per kind. */
  readonly result: unknown
  readonly error: string | null
  /** Judgements that it plans; null before it has. */
  readonly rowsTotal: number | null
  readonly maxCostNano: bigint | null
  readonly createdBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
  readonly voidedAt: Date | null
  readonly voidReason: string | null
}

/** A run that this process works on. */
export interface LeasedRun extends JudgeRun {
  readonly generation: number
  /** Times it was taken on without coming any further. */
  readonly attempts: number
}

/** What a step makes of a run. */
export type RunStep =
  /** Judgements are planned; the run goes on when they are done. */
  | { readonly kind: 'wait'; readonly rowsTotal: number; readonly result?: unknown }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly error: string; readonly result?: unknown }

export type NewRun = Omit<
  JudgeRun,
  'status' | 'result' | 'error' | 'rowsTotal' | 'finishedAt' | 'voidedAt' | 'voidReason'
>

export interface RunStore {
  create(run: NewRun): Promise<JudgeRun>
  get(where: { readonly workspaceId: string; readonly id: string; readonly kind: RunKind }): Promise<JudgeRun | null>
  /** The newest first. */
  list(where: RunFilter): Promise<{ readonly total: number; readonly runs: readonly JudgeRun[] }>
  /** Takes a run on that is neither finished nor somebody else's. */
  lease(id: string, leaseMs: number): Promise<LeasedRun | null>
  /** Makes the lease end later. */
  renew(run: Pick<LeasedRun, 'id' | 'generation'>, leaseMs: number): Promise<void>
  /** Keeps what a step made of it and gives it back, unless the lease was lost meanwhile or the run was voided. */
  advance(run: Pick<LeasedRun, 'id' | 'generation'>, step: RunStep, at: Date): Promise<boolean>
  /** Gives it back, to be tried again. */
  release(run: Pick<LeasedRun, 'id' | 'generation'>, delayMs: number): Promise<void>
  /** Ids of runs that can go on: nothing of theirs is still to be judged. */
  ready(limit: number): Promise<readonly string[]>
}

export interface RunFilter {
  readonly workspaceId: string
  readonly criterionId: string
  readonly kind: RunKind
  readonly limit: number
  readonly offset: number
}

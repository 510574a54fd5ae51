import type { Trust } from '@ratchet/contracts/criteria'
import type { EvalReport } from '@ratchet/contracts/eval-report'
import type { CreateEval, EvalStatus } from '@ratchet/contracts/evals'
import type { PlannedSample } from '../samples/sample.ts'

/** Who decides which of two answers is better, as it was when the eval was created. */
export interface EvalJudge {
  readonly model: string
  /** What makes an answer good, or of a criterion what makes it fail; null where the type of the rubric says it all. */
  readonly rubric: string | null
  /** UUID. */
  readonly criterionId: string | null
  /** Of the criterion. */
  readonly trust: Trust | null
}

/** How far the telling of somebody is. */
export interface EvalWebhook {
  readonly url: string
  readonly attempts: number
  readonly deliveredAt: Date | null
  /** Of the last attempt. */
  readonly error: string | null
}

/** A comparison of models on the same prompts. */
export interface EvalRun {
  readonly id: string
  readonly workspaceId: string
  readonly status: EvalStatus
  readonly request: CreateEval
  readonly judge: EvalJudge
  readonly maxCostNano: bigint | null
  /** Null before they are drawn. */
  readonly samplesTotal: number | null
  readonly report: EvalReport | null
  readonly error: string | null
  /** Who is told of the end; null for nobody. */
  readonly webhook: EvalWebhook | null
  readonly createdBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export type NewEval = Pick<
  EvalRun,
  'id' | 'workspaceId' | 'request' | 'judge' | 'maxCostNano' | 'createdBy' | 'createdAt'
>

/** An eval that this process takes a step further. */
export interface LeasedEval extends EvalRun {
  readonly generation: number
  /** Times it was taken on without coming any further. */
  readonly attempts: number
}

/** How an eval ends that was not cancelled. */
export interface EvalEnd {
  readonly status: 'DONE' | 'FAILED'
  readonly report: EvalReport | null
  readonly error: string | null
}

/** How far an eval is, and what it cost. */
export interface EvalProgress {
  readonly total: number
  readonly done: number
  /** Nano-dollars. */
  readonly costNano: bigint
  readonly judgeCostNano: bigint
  /** Why a sample waits or is to be tried again; null where none does. */
  readonly waitingFor: string | null
}

export interface EvalFilter {
  readonly workspaceId: string
  readonly status?: EvalStatus | undefined
  readonly baselineModel?: string | undefined
  readonly candidateModel?: string | undefined
  readonly limit: number
  readonly offset: number
}

export interface EvidenceFilter {
  readonly workspaceId: string
  /** Names of models, with the provider or without. */
  readonly baselineModel: string
  readonly candidateModel: string
  readonly since: Date
}

/** What an eval that is DONE found of one candidate. */
export interface EvalEvidence {
  readonly id: string
  /** As the report names it. */
  readonly candidate: string
  readonly report: EvalReport | null
  readonly finishedAt: Date
}

type Lease = Pick<LeasedEval, 'id' | 'generation'>

export interface EvalStore {
  create(run: NewEval): Promise<EvalRun>
  get(where: { readonly workspaceId: string; readonly id: string }): Promise<EvalRun | null>
  /** The newest first. */
  list(where: EvalFilter): Promise<{ readonly total: number; readonly runs: readonly EvalRun[] }>
  /** By the ids of evals; one without samples is absent. */
  progress(ids: readonly string[]): Promise<ReadonlyMap<string, EvalProgress>>
  countDone(workspaceId: string): Promise<number>
  /** Evals that ended since and compared the two, the newest first, at most 50. */
  evidence(where: EvidenceFilter): Promise<readonly EvalEvidence[]>
  /** Ends one that is under way; null when there is none, or it is over. */
  cancel(where: { readonly workspaceId: string; readonly id: string }, at: Date): Promise<EvalRun | null>
  /** Takes one on that has something to be done and is nobody else's. */
  lease(id: string, leaseMs: number): Promise<LeasedEval | null>
  renew(run: Lease, leaseMs: number): Promise<void>
  /** Keeps the samples and has them done, all or nothing; false when the lease was lost or the eval cancelled. */
  begin(run: Lease, samples: readonly PlannedSample[]): Promise<boolean>
  /** Ends it; of one that was cancelled only the report is kept. False when the lease was lost. */
  finish(run: Lease, end: EvalEnd, at: Date): Promise<boolean>
  /** Gives it back, to be tried again, or to wait for its samples. */
  release(run: Lease, waiting: { readonly delayMs: number; readonly hasFailed: boolean }): Promise<void>
  /** Ids of evals that can go on: none of their samples is still to be done. */
  ready(limit: number): Promise<readonly string[]>
}

import type { Trust } from '@ratchet/contracts/criteria'
import type { CriterionCheck } from '@ratchet/contracts/criterion-checks'
import type { EvalReport } from '@ratchet/contracts/eval-report'
import type { CreateEval, EvalStatus } from '@ratchet/contracts/evals'

/** The judge that compares two answers, frozen when the eval was created. */
export interface EvalJudge {
  readonly model: string
  /** Models of the other judges of a panel; absent for a single judge. */
  readonly panel?: readonly string[]
  /** What judges in place of a model: of two answers, the one that passes is better. Absent or null for a model. */
  readonly checks?: readonly CriterionCheck[] | null
  /** What makes an answer good; for a criterion, what makes it fail. Null when the rubric type needs no text. */
  readonly rubric: string | null
  /** UUID; null for a judge without a criterion. */
  readonly criterionId: string | null
  /** Trust in the criterion; null without one. */
  readonly trust: Trust | null
  /** Why nothing may act on the criterion; null when it may. Absent without a criterion, and for evals of earlier releases. */
  readonly cannotActReason?: string | null
  /** Whether its trust comes from grades of items that people picked. Absent for evals of earlier releases. */
  readonly isPicked?: boolean
  /** Only for a criterion that judges complete runs. Such an eval compares the last answers of runs, and is no evidence. */
  readonly unit?: 'trace'
}

/** Why the eval is no evidence as far as its judge is concerned; null when evidence may rely on it. */
export function cannotActReasonOf({ criterionId, cannotActReason, unit }: EvalJudge): string | null {
  if (criterionId === null) return 'it is not a criterion'
  if (unit === 'trace') return 'it judges complete runs, and the eval compares only their last answers'
  if (cannotActReason !== undefined) return cannotActReason
  return 'an earlier release created the eval, which did not record whether its judge may act; run the eval again'
}

/** The models of all judges, the first one first. */
export function judgeModelsOf({ model, panel = [] }: Pick<EvalJudge, 'model' | 'panel'>): readonly string[] {
  return [model, ...panel]
}

/** The webhook of one eval and the state of its delivery. */
export interface EvalWebhook {
  readonly url: string
  readonly attempts: number
  readonly deliveredAt: Date | null
  /** Error of the last attempt. */
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
  /** Null before the samples are drawn. */
  readonly samplesTotal: number | null
  readonly report: EvalReport | null
  readonly error: string | null
  readonly webhook: EvalWebhook | null
  readonly createdBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export type NewEval = Pick<
  EvalRun,
  'id' | 'workspaceId' | 'request' | 'judge' | 'maxCostNano' | 'createdBy' | 'createdAt'
>

/** An eval that this process has leased. */
export interface LeasedEval extends EvalRun {
  /** Fencing token: writes under an older number are ignored. */
  readonly generation: number
  /** Leases since the eval last made progress. */
  readonly attempts: number
}

/** How an eval ends that was not cancelled. */
export interface EvalEnd {
  readonly status: 'DONE' | 'FAILED'
  readonly report: EvalReport | null
  readonly error: string | null
}

/** Finished samples of an eval and its cost so far. */
export interface EvalProgress {
  readonly total: number
  readonly done: number
  /** Cost of the answers, nano-dollars. */
  readonly costNano: bigint
  readonly judgeCostNano: bigint
  /** Why a sample waits or will be retried; null when none does. */
  readonly waitingFor: string | null
}

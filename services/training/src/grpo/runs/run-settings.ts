import type { CriterionCheck } from '@ratchet/contracts/criterion-checks'
import type { ToolMiss } from '@ratchet/contracts/environment-tools-body'
import type { RewardFunction } from '@ratchet/contracts/grpo-body'
import type { GrpoTrainerHyperparameters } from '@ratchet/contracts/grpo-spec'
import type { JobSettings } from '../../jobs/job.ts'

/** A judge as it was when the run was created. It judges by this prompt for as long as the run lasts. */
export interface FrozenJudge {
  readonly role: 'reward' | 'holdout'
  /** UUID of the criterion. */
  readonly criterionId: string
  readonly judgeModel: string
  readonly prompt: string
  /** What judges in place of a model. Absent or null for a model. */
  readonly checks?: readonly CriterionCheck[] | null
  readonly instrument: number
  readonly trust: 'trustworthy' | 'under-measured' | 'borderline' | 'misaligned' | 'unmeasured'
  /** Null when they are not known: then its verdicts are taken as they are. */
  readonly tpr: number | null
  readonly tnr: number | null
  readonly tprCi: readonly [number, number] | null
  readonly tnrCi: readonly [number, number] | null
}

export interface RewardTerm {
  /** Unique in the reward: a criterion's public id, the type of a function, or a tool's name, with a number when there are several. */
  readonly name: string
  /** Share of the weights, which are 1 together. */
  readonly weight: number
  readonly required: boolean
}

export interface ToolTerm extends RewardTerm {
  /** Public id of the tool. */
  readonly toolId: string
}

/** A reward without any default left out. */
export interface RunReward {
  readonly criteria: readonly (RewardTerm & { readonly criterionId: string })[]
  readonly functions: readonly (RewardTerm & { readonly check: RewardFunction })[]
  /** Absent in runs that are older than rewards of tools. */
  readonly tools?: readonly ToolTerm[]
}

/** All terms of a reward, by which its values are named. */
export function termsOf({ criteria, functions, tools = [] }: RunReward): readonly RewardTerm[] {
  return [...criteria, ...functions, ...tools]
}

/** Tools of an environment, and what they may do. */
export interface RunEnvironment {
  /** Public ids of tools, in the order in which the model sees them. */
  readonly toolIds: readonly string[]
  readonly maxTurns: number
  /** What a call without a recording gets; null or absent: what the tool says. */
  readonly onMiss?: ToolMiss | null | undefined
}

export interface RunHoldout {
  /** UUID; null without one. */
  readonly criterionId: string | null
  readonly judgeModel: string | null
  readonly everySteps: number
  readonly prompts: number
  readonly margin: number
  readonly action: 'pause' | 'stop' | 'none'
}

/** What a run is made of. Stored as JSON. */
export interface RunSettings {
  readonly base_model: JobSettings['base_model']
  readonly hyperparameters: GrpoTrainerHyperparameters
  readonly resampleZeroVariance: number
  readonly checkpointEverySteps: number
  readonly reward: RunReward
  readonly environment: RunEnvironment | null
  readonly holdout: RunHoldout
  readonly auditSample: number
  readonly plateau: { readonly steps: number; readonly minGain: number } | null
  readonly prompts: { readonly train: number; readonly guard: number; readonly proof: number }
}

/** Looks of a run that goes to its last step: the first one, one every few steps, and one at the end. */
export function plannedLooks({ hyperparameters, holdout }: Pick<RunSettings, 'hyperparameters' | 'holdout'>): number {
  const { max_steps: last } = hyperparameters
  return 1 + Math.ceil(last / holdout.everySteps)
}

/** Whether a look follows a step. */
export function hasLook({ hyperparameters, holdout }: Pick<RunSettings, 'hyperparameters' | 'holdout'>, step: number) {
  return step % holdout.everySteps === 0 || step === hyperparameters.max_steps
}

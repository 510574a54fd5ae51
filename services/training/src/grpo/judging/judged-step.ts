import type { GuardVerdict } from '@ratchet/contracts/grpo'
import type { StepAlarm } from '@ratchet/contracts/grpo-progress'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import type { Share } from '@ratchet/work-kit/leases/leased-item'
import type { LookedPrompt } from '../guard/guard-look.ts'
import type { TopTerm } from '../guard/step-alarms.ts'
import type { GrpoPrompt } from '../runs/read-prompts.ts'
import type { FinishReason } from '../runs/run.ts'
import type { FrozenJudge, RunSettings } from '../runs/run-settings.ts'

/** A step or look whose answers are all there, leased by this process. */
export interface LeasedStep {
  readonly id: string
  readonly workspaceId: string
  readonly generation: number
  readonly attempts: number
  readonly runId: string
  readonly kind: 'step' | 'look'
  readonly step: number
  readonly groups: readonly number[]
  readonly firstGroups: number
  readonly samples: number
  readonly resamples: number
}

/** Its run. */
export interface JudgedRun {
  readonly id: string
  readonly workspaceId: string
  readonly createdBy: string
  readonly createdAt: Date
  readonly seed: number
  readonly settings: RunSettings
  readonly judges: readonly FrozenJudge[]
  readonly judgingCapNano: bigint
  readonly acceptedGap: number
  readonly lastTrained: number
  /** Groups of all steps until now. */
  readonly usedGroups: number
}

export interface JudgedRollout {
  readonly id: string
  readonly group: number
  readonly index: number
  readonly completion: readonly ExchangeMessage[]
  readonly sampledTokens: number
  readonly truncated: boolean
  readonly entropy: number | null
  readonly adapterVersion: number
  readonly verdicts: readonly StoredVerdict[]
}

/** An answer with the rewards of tools, by the names of their terms; null: the tool said none. */
export interface GradedAnswer extends JudgedRollout {
  readonly grades: ReadonlyMap<string, number | null>
}

export interface StoredVerdict {
  readonly role: FrozenJudge['role']
  readonly criterionId: string
  /** Null: the judge gave none. */
  readonly verdict: 'pass' | 'fail' | null
}

export interface NewVerdict extends StoredVerdict {
  readonly rolloutId: string
  readonly judgeModel: string
  readonly instrument: number
  readonly explanation: string | null
  readonly costNano: bigint
}

export interface RewardedRollout {
  readonly id: string
  readonly reward: number
  readonly terms: Readonly<Record<string, number | null>>
  readonly advantage: number
  readonly used: boolean
  readonly holdout: number | null
}

/** Figures of a step, as they are stored. */
export interface StepFigures {
  readonly reward_mean: number
  readonly reward_ci: readonly [number, number]
  readonly reward_std: number
  readonly zero_variance_groups: number
  readonly resampled_groups: number
  readonly completion_length_mean: number
  readonly truncated_ratio: number
  readonly entropy: number | null
  readonly adapter_version: number
  /** Null without an environment. Steps of older versions do not have them. */
  readonly tool_calls_per_rollout?: number | null
  /** Null without calls. */
  readonly tool_failure_ratio?: number | null
  readonly terms: Readonly<Record<string, number | null>>
  /** Steps of older versions do not have them. */
  readonly duplicate_ratio?: number
  readonly top_term?: TopTerm | null
  readonly alarms?: readonly StepAlarm[]
}

/** What the steps before one were like. */
export interface EarlierSteps {
  /** Figures of the first step; null when it is this one. */
  readonly first: StepFigures | null
  /** Alarms of any of them. */
  readonly alarms: ReadonlySet<StepAlarm>
}

/** How tools were called in a step; grading is no call of an answer. */
export interface StepToolCalls {
  readonly calls: number
  readonly failures: number
}

interface Rate {
  readonly rate: number
  readonly ci: readonly [number, number]
}

/** Figures of a look, as they are stored. */
export interface LookFigures {
  readonly reward_mean: number
  readonly train: Rate
  readonly holdout: Rate | null
  readonly gap: { readonly estimate: number; readonly lower: number } | null
  readonly holdout_gain: { readonly estimate: number; readonly upper: number } | null
  readonly verdict: GuardVerdict
  readonly prompts: readonly LookedPrompt[]
}

/** What judging a step came to. */
export type StepOutcome =
  /** More groups are to be sampled, in place of those without variance. */
  | { readonly kind: 'resample'; readonly rollouts: readonly RewardedRollout[]; readonly groups: readonly number[] }
  | {
      readonly kind: 'rewarded'
      readonly rollouts: readonly RewardedRollout[]
      readonly figures: StepFigures | LookFigures
    }
  /** The part of the maximum for judges is used up. */
  | { readonly kind: 'over_cap' }

/** What follows for the run, in the same transaction. */
export interface RunChange {
  readonly rewardBaseline?: number
  readonly rewardCurrent?: number
  readonly guardVerdict?: GuardVerdict
  /** Its last step, and why. */
  readonly finish?: { readonly step: number; readonly reason: FinishReason }
  readonly pause?: { readonly reason: 'reward_diverged'; readonly message: string }
  readonly failure?: { readonly code: string; readonly message: string }
  readonly warning?: string
  /** What users see of the run from now on. */
  readonly warnings?: readonly string[]
}

export interface JudgingStore {
  take(share: Share, leaseMs: number): Promise<readonly LeasedStep[]>
  renew(step: LeasedStep, leaseMs: number): Promise<unknown>
  release(step: LeasedStep, release: { readonly delayMs: number; readonly hasFailed: boolean }): Promise<void>
  run(step: LeasedStep): Promise<JudgedRun>
  prompts(step: LeasedStep): Promise<readonly GrpoPrompt[]>
  rollouts(step: LeasedStep): Promise<readonly JudgedRollout[]>
  /** Calls of tools by the answers of a step, and those that a tool failed. */
  toolCalls(step: LeasedStep): Promise<StepToolCalls>
  /** The prompts of the look before training; null before it is judged. */
  firstLook(step: LeasedStep): Promise<readonly LookedPrompt[] | null>
  earlier(step: LeasedStep): Promise<EarlierSteps>
  /** Keeps the first verdict of a judge on an answer. */
  addVerdict(step: LeasedStep, verdict: NewVerdict): Promise<void>
  /** Stores what a step came to. False when the lease was lost; then nothing is changed. */
  conclude(step: LeasedStep, outcome: StepOutcome, change: RunChange): Promise<boolean>
}

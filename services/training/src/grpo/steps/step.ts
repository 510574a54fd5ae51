import type { GrpoRollout } from '@ratchet/contracts/grpo-protocol'
import type { AttemptId } from '../../attempts/job-token.ts'
import type { GrpoPrompt } from '../runs/read-prompts.ts'
import type { FinishReason } from '../runs/run.ts'
import type { FrozenJudge, RunSettings } from '../runs/run-settings.ts'
import type { RunMoney, TrainedStep } from './after-step.ts'

export type StepKind = 'step' | 'look'
export type StepStage = 'sampling' | 'judging' | 'rewarded' | 'trained'

/** A run of a running attempt. */
export interface AttemptRun extends AttemptId {
  readonly workspaceId: string
  readonly createdBy: string
  readonly settings: RunSettings
  readonly judges: readonly FrozenJudge[]
  readonly promptsSha256: string
  readonly asked: 'pause' | 'cancel' | null
  readonly finishStep: number | null
  /** Failures of tools before are forgotten: when it was created or resumed. */
  readonly countsFrom: Date
  /** The last step that exists, and the last that was trained; 0 without one. */
  readonly lastStep: number
  readonly lastTrained: number
  /** Groups of all steps until now. */
  readonly usedGroups: number
}

export interface StoredStep {
  readonly id: string
  readonly kind: StepKind
  readonly step: number
  readonly state: StepStage
  /** Place of the prompt of each group. */
  readonly groups: readonly number[]
  readonly samples: number
  readonly resamples: number
  readonly trainedTokens: number | null
}

export interface StoredReward {
  readonly group: number
  readonly index: number
  readonly reward: number
  readonly advantage: number
  readonly used: boolean
}

export interface NewStep {
  readonly id: string
  readonly kind: StepKind
  readonly step: number
  readonly groups: readonly number[]
  readonly samples: number
}

/** What a trainer reports of a step. */
export interface TrainedReport {
  readonly trainedTokens: number
  readonly stats: Readonly<Record<string, number | null>>
}

export interface RunHistory {
  readonly steps: readonly TrainedStep[]
  readonly money: RunMoney
}

/** Steps as trainers read and write them. Writes of an attempt that has ended change nothing. */
export interface StepStore {
  /** Null when the attempt has ended. */
  run(attempt: AttemptId): Promise<AttemptRun | null>
  find(run: AttemptRun, kind: StepKind, step: number): Promise<StoredStep | null>
  /** Adds a step unless there is one. */
  create(run: AttemptRun, step: NewStep): Promise<void>
  prompts(run: AttemptRun, kind: StepKind, places: readonly number[]): Promise<readonly GrpoPrompt[]>
  rollouts(run: AttemptRun, step: StoredStep): Promise<readonly GrpoRollout[]>
  /**
   * Adds answers that were not stored before. When all are there, the step is judged.
   *
   * @returns answers that are stored; null when the attempt has ended
   */
  addRollouts(
    run: AttemptRun,
    step: StoredStep,
    rollouts: readonly (GrpoRollout & { readonly id: string })[],
  ): Promise<number | null>
  rewards(run: AttemptRun, step: StoredStep): Promise<readonly StoredReward[]>
  /** False when it was trained before, whose figures remain; by an earlier attempt, it is noted as replayed. */
  setTrained(run: AttemptRun, step: StoredStep, report: TrainedReport): Promise<boolean>
  history(run: AttemptRun): Promise<RunHistory>
  setFinish(run: AttemptRun, finish: { readonly step: number; readonly reason: FinishReason }): Promise<void>
}

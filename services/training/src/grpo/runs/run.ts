import type { AfterTraining } from '@ratchet/contracts/fine-tuning-body'
import type { GrpoPause, GrpoStatus, GuardVerdict } from '@ratchet/contracts/grpo'
import type { PromptParts } from './read-prompts.ts'
import type { FrozenJudge, RunSettings } from './run-settings.ts'

export type FinishReason = 'max_cost' | 'plateau' | 'diverged'

/** A run as the API reads it, with what its training job says. */
export interface GrpoRun {
  /** UUID, also of its training job. */
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly status: GrpoStatus
  readonly phase: 'preparing' | 'training' | 'evaluating' | 'uploading' | null
  readonly waitingFor: 'gpu' | null
  /** The status of its training job, and what was asked of it. */
  readonly jobStatus: 'validating_files' | 'queued' | 'running' | 'paused' | 'succeeded' | 'failed' | 'cancelled'
  readonly asked: 'pause' | 'cancel' | null
  readonly pausedReason: GrpoPause | null
  readonly statusMessage: string | null
  readonly baseModel: string
  /** UUID of the version that it is trained from. */
  readonly warmStartId: string | null
  readonly trainer: string
  readonly seed: number
  /** The request, as JSON. */
  readonly request: unknown
  readonly metadata: Readonly<Record<string, string>> | null
  readonly datasetId: string | null
  readonly evalDatasetId: string | null
  readonly settings: RunSettings
  readonly judges: readonly FrozenJudge[]
  readonly warnings: readonly string[]
  readonly step: number
  readonly rewardBaseline: number | null
  readonly rewardCurrent: number | null
  readonly guardVerdict: GuardVerdict
  /** Looks that are judged, and the step of the last one. */
  readonly looks: number
  readonly lastLook: number | null
  readonly bestStep: number | null
  /** The version of its best step, and its name; null before there is one. */
  readonly modelVersionId: string | null
  readonly model: string | null
  /** Public id of the eval that it has started. */
  readonly evalId: string | null
  readonly finishReason: FinishReason | null
  readonly lostAttempts: number
  readonly estimatedCostNano: bigint
  readonly maxCostNano: bigint
  /** The maximum of its training, without judges. */
  readonly trainingCapNano: bigint
  readonly heldNano: bigint
  readonly costNano: bigint
  readonly judgeCostNano: bigint
  readonly holdNumber: number
  readonly error: { readonly code: string; readonly message: string } | null
  readonly createdBy: string
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
}

export interface NewRun {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly baseModel: string
  readonly warmStartId: string | null
  /** The eval that it starts when it has a result. */
  readonly afterTraining: AfterTraining | null
  readonly trainer: string
  readonly seed: number
  readonly request: unknown
  readonly datasetId: string
  readonly datasetSha256: string
  readonly evalDatasetId: string | null
  readonly settings: RunSettings
  readonly judges: readonly FrozenJudge[]
  readonly warnings: readonly string[]
  readonly parts: PromptParts
  readonly promptsSha256: string
  readonly trainNanoPerMtok: bigint
  readonly sampleNanoPerMtok: bigint
  readonly estimatedCostNano: bigint
  readonly maxCostNano: bigint
  readonly judgingCapNano: bigint
  /** Paid for judges before it was created. */
  readonly checkCostNano: bigint
  /** Id of the look before training. */
  readonly lookId: string
  readonly createdBy: string
  readonly createdAt: Date
}

export interface RunKey {
  readonly workspaceId: string
  readonly id: string
}

export interface RunCounts {
  readonly total: number
  readonly candidatesWaiting: number
  readonly active: number
  readonly queued: number
}

export interface RunStore {
  create(run: NewRun): Promise<GrpoRun>
  get(key: RunKey): Promise<GrpoRun | null>
  /** Newest first. */
  list(page: {
    readonly workspaceId: string
    readonly status: GrpoStatus | undefined
    readonly limit: number
    readonly offset: number
  }): Promise<readonly GrpoRun[]>
  /** `total` of the runs with the status, the others of all. */
  count(workspaceId: string, status: GrpoStatus | undefined): Promise<RunCounts>
  /** Fine-tuning jobs and runs of a workspace that have not ended. */
  countUnfinished(workspaceId: string): Promise<number>
  /** Null in a state that forbids it. */
  cancel(key: RunKey, at: Date): Promise<GrpoRun | null>
  pause(key: RunKey, reason: { readonly reason: GrpoPause; readonly message: string | null }): Promise<GrpoRun | null>
  resume(key: RunKey, hold: { readonly number: number; readonly amountNano: bigint }): Promise<GrpoRun | null>
  /** Names of unfinished runs whose judges include a criterion. */
  usersOf(workspaceId: string, criterionId: string): Promise<readonly string[]>
}

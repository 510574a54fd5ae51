import type { FineTuningStatus, TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { FineTuningMethodName } from '@ratchet/contracts/fine-tuning-models'

/** Settings of the training without any `auto`, in the names of the trainer protocol. */
export interface JobHyperparameters {
  readonly n_epochs: number
  readonly batch_size: number
  readonly learning_rate: number
  /** Null: all weights are trained. */
  readonly lora_rank: number | null
  readonly lora_alpha: number | null
  /** Only of DPO. */
  readonly beta: number | null
  readonly max_sequence_length: number
  readonly on_too_long: 'drop' | 'truncate_left' | 'fail'
  readonly early_stopping_patience: number | null
}

/** How far the training goes, and when it is saved. */
export interface JobPlan {
  readonly total_steps: number
  readonly total_tokens: number
  /** Steps whose checkpoints are shown, in ascending order; the last one is `total_steps`. */
  readonly servable_steps: readonly number[]
  readonly save_every_steps: number
  readonly save_every_seconds: number
}

/** What a trainer needs to know, besides the data. Stored as JSON. */
export interface JobSettings {
  readonly base_model: {
    readonly id: string
    readonly source: string
    readonly sha256: string | null
    readonly chat_template_sha256: string | null
  }
  readonly hyperparameters: JobHyperparameters
  readonly plan: JobPlan
}

/** A fine-tuning job as the API reads it. */
export interface TrainingJob {
  readonly id: string
  readonly workspaceId: string
  readonly status: FineTuningStatus
  readonly phase: 'preparing' | 'training' | 'evaluating' | 'uploading' | null
  readonly waitingFor: 'gpu' | null
  readonly asked: 'pause' | 'cancel' | null
  readonly baseModel: string
  readonly method: FineTuningMethodName
  readonly trainer: string
  readonly seed: number
  readonly request: CreateFineTuningJob
  /** Estimates before the data is read. */
  readonly settings: JobSettings
  /** Null before the data is read. */
  readonly dataReport: TrainingDataReport | null
  /** UUIDs. Exactly one of the first two is set. */
  readonly datasetId: string | null
  readonly trainingFile: string | null
  readonly evalDatasetId: string | null
  readonly validationFile: string | null
  readonly datasetSha256: string | null
  readonly priceNanoPerMtok: bigint
  readonly totalTokens: bigint
  readonly tokensExact: boolean
  readonly estimatedCostNano: bigint
  readonly maxCostNano: bigint | null
  readonly heldNano: bigint
  readonly costNano: bigint
  readonly holdNumber: number
  readonly step: number
  readonly totalSteps: number | null
  readonly epoch: number
  readonly stoppedEarly: 'max_cost' | 'early_stopping' | null
  readonly error: { readonly code: string; readonly message: string; readonly param: string | null } | null
  readonly lostAttempts: number
  /** The version of its last shown checkpoint; null without one. */
  readonly version: { readonly id: string; readonly name: string } | null
  /** UUID of the version that it is trained from. */
  readonly warmStartId: string | null
  /** Public id of the eval that was started after it; null before that, and when none could be. */
  readonly afterEvalId: string | null
  /** UUID of the file with the figures of its steps. */
  readonly resultFile: string | null
  /** Tokens of its last durable checkpoint; null without one. */
  readonly durableTokens: bigint | null
  readonly createdBy: string
  readonly createdAt: Date
  /** When its trainer was started, and after which step it goes on; null while none runs. */
  readonly run: { readonly since: Date; readonly fromStep: number } | null
  readonly finishedAt: Date | null
}

/** What a job says of its data. */
export type JobWithData = Pick<
  TrainingJob,
  | 'method'
  | 'seed'
  | 'request'
  | 'settings'
  | 'datasetId'
  | 'trainingFile'
  | 'evalDatasetId'
  | 'validationFile'
  | 'priceNanoPerMtok'
>

export type NewJob = JobWithData &
  Pick<
    TrainingJob,
    | 'id'
    | 'workspaceId'
    | 'baseModel'
    | 'trainer'
    | 'totalTokens'
    | 'estimatedCostNano'
    | 'maxCostNano'
    | 'heldNano'
    | 'createdBy'
    | 'createdAt'
    | 'warmStartId'
  > & {
    /** The round of RAFT that it is a part of. Absent: a person created it. */
    readonly producer?: { readonly kind: 'raft'; readonly id: string }
  }

/** Whether the job has ended for good. */
export function isFinal({ status }: Pick<TrainingJob, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled'
}

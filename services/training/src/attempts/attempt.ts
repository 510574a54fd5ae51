import type {
  CheckpointFile,
  TrainerCommand,
  TrainerEvent,
  TrainerFailureCode,
  TrainerPhase,
} from '@ratchet/contracts/trainer-protocol'
import { TrainerSpec } from '@ratchet/contracts/trainer-spec'
import type { z } from 'zod'
import type { Content } from '../artifacts/artifact-store.ts'
import type { CountedData, CountedJob } from './count-data.ts'
import type { AttemptId } from './job-token.ts'

/** What the settings of a job say of its training. The rest of them is not read here. */
export const AttemptSettings = TrainerSpec.pick({ base_model: true, hyperparameters: true, plan: true })
export type AttemptSettings = z.output<typeof AttemptSettings>

/** A running attempt, with what its job says. */
export interface Attempt extends AttemptId {
  readonly workspaceId: string
  readonly trainer: string
  /** `grpo`: of a run, whose prompts and tokens are those of its steps. */
  readonly method: 'supervised' | 'dpo' | 'grpo'
  readonly seed: number
  readonly settings: AttemptSettings
  readonly training: Examples
  readonly validation: Examples | null
  readonly priceNanoPerMtok: bigint
  readonly maxCostNano: bigint | null
  /** The last durable checkpoint; null without one. */
  readonly durable: DurableCheckpoint | null
  /** Files of the adapter that it begins with; null: with a new one. */
  readonly warmStart: readonly CheckpointFile[] | null
}

/** An artifact with lines of examples. */
export interface Examples extends Content {
  readonly count: number
}

export interface DurableCheckpoint {
  readonly step: number
  readonly trainedTokens: number
  readonly files: readonly CheckpointFile[]
}

/** A checkpoint that is being stored. */
export interface BegunCheckpoint {
  readonly id: string
  readonly step: number
  readonly files: readonly CheckpointFile[]
  /** Null until it is durable. */
  readonly durableAt: Date | null
  readonly trainedTokens: number
}

export interface Progress {
  readonly step: number
  readonly phase: TrainerPhase
  readonly epoch: number | null
  /** Of the trainer's program; null when it does not say. */
  readonly codeVersion: string | null
}

export interface HeartbeatReply {
  readonly command: TrainerCommand
  readonly leaseUntil: Date
}

export interface CompletedCheckpoint {
  readonly id: string
  readonly step: number
  readonly files: readonly CheckpointFile[]
  /** As it is charged. */
  readonly trainedTokens: number
  readonly epoch: number | null
  readonly metrics: Readonly<Record<string, number | null>>
  readonly servedAs: string | null
  readonly servable: boolean
}

/** How a trainer ends its attempt. */
export type AttemptEnd =
  | { readonly exit: 'succeeded'; readonly result: object }
  | { readonly exit: 'stopped' }
  | {
      readonly exit: 'failed' | 'lost'
      readonly code: TrainerFailureCode | 'trainer_lost' | 'insufficient_balance'
      readonly message: string
      readonly retryable: boolean
    }

/**
 * What an attempt may write. Nothing of an attempt that has ended is written: then these return null or false.
 */
export interface AttemptStore {
  find(id: AttemptId): Promise<Attempt | null>
  isRunning(id: AttemptId): Promise<boolean>
  /** Its trainer cannot report yet. Never shortens its lease. */
  keepWaiting(id: AttemptId, leaseMs: number): Promise<boolean>
  heartbeat(id: AttemptId, progress: Progress, leaseMs: number): Promise<HeartbeatReply | null>
  /**
   * Stores events that were not stored before.
   *
   * @returns the number of the next event
   */
  addEvents(id: AttemptId, events: AttemptEvents): Promise<number | null>
  /**
   * Changes what the job says of its data. `change` returns null when nothing is to change.
   *
   * @returns the job as it is then
   */
  changeData(id: AttemptId, change: (job: CountedJob) => CountedData | null): Promise<CountedJob | null>
  /**
   * Stores the manifest, in place of one for the same step that was not completed. Returns what is stored, and the bytes of all
   * manifests of the attempt until now.
   */
  beginCheckpoint(
    id: AttemptId,
    checkpoint: Omit<BegunCheckpoint, 'durableAt' | 'trainedTokens'>,
  ): Promise<(BegunCheckpoint & { readonly announcedBytes: number }) | null>
  /** A durable checkpoint, or one that this attempt began. */
  findCheckpoint(id: AttemptId, step: number): Promise<BegunCheckpoint | null>
  /** Makes a checkpoint durable, and has its cost charged. Returns when it became durable. */
  completeCheckpoint(id: AttemptId, checkpoint: CompletedCheckpoint): Promise<Date | null>
  /** Stores what the checkpoint of a step answers to the probes. */
  setFingerprint(id: AttemptId, fingerprint: Fingerprint): Promise<boolean>
  end(id: AttemptId, end: AttemptEnd): Promise<boolean>
}

export interface Fingerprint {
  readonly step: number
  readonly probes: readonly object[]
}

export interface AttemptEvents {
  /** Number of the first item. */
  readonly fromSeq: number
  readonly items: readonly TrainerEvent[]
  /** Id of the item with this index. */
  readonly idOf: (index: number) => string
}

import type { Share } from '@ratchet/work-kit/leases/leased-item'
import type { AttemptId } from '../attempts/job-token.ts'
import type { JobSettings, JobWithData, TrainingJob } from '../jobs/job.ts'
import type { JobAttempt, JobRow, NextStep } from './next-job.ts'

/** A job that this process has leased. Only while it has the lease, its writes count. */
export interface DrivenJob
  extends JobRow,
    Pick<TrainingJob, 'id' | 'workspaceId' | 'baseModel' | 'trainer' | 'holdNumber' | 'createdBy'>,
    JobWithData {
  /** Fencing token of the lease. */
  readonly generation: number
  /** Steps that failed since one succeeded, this one included. */
  readonly attempts: number
  /** Changes of the row until it was read, after which a worker has to look at it. */
  readonly wakes: number
}

/** What is true outside the row. */
export interface DrivenWorld {
  /** Time of the database. */
  readonly now: Date
  readonly attempt: (JobAttempt & AttemptId) | null
  /** Tokens of the last durable checkpoint; 0 without one. */
  readonly durableTokens: bigint
  /** Of a GRPO run: the cost of its steps and looks until the last durable checkpoint. Null: that of the tokens. */
  readonly stepsCostNano: bigint | null
  /** Whether this worker has its trainer. */
  readonly isOffered: boolean
  /** Whether the job is among the next ones for the free places of its trainer. */
  readonly hasSlot: boolean
}

export interface Slots {
  /** Attempts that may run at once. */
  readonly slots: number
}

/** Examples that were read, checked and stored. */
export interface ReadyData {
  readonly report: object
  readonly settings: JobSettings
  readonly datasetSha256: string
  readonly totalTokens: bigint
  readonly estimatedCostNano: bigint
  readonly trainSha256: string
  readonly validSha256: string | null
  /** The conversations that are trained on. */
  readonly roots: Buffer
}

export interface ReleasedJob {
  /** Until a worker looks at the job again, unless something happens before, milliseconds. */
  readonly delayMs: number
  readonly waitingFor: 'gpu' | null
  /** Steps that failed since one succeeded. */
  readonly failures: number
  /** Whether the job waits for a trainer that this worker does not have. */
  readonly isUnoffered: boolean
}

/** How a job ends. */
export interface JobEnd extends Omit<Extract<NextStep, { kind: 'end' }>, 'kind'> {
  /** The field of the request that was wrong. */
  readonly param?: string
  /** UUID of the file with the figures of its steps. */
  readonly resultFile?: string | null
  /** Of data that nothing can be trained on. */
  readonly report?: object | null
}

/** Jobs as workers change them. Changes return false when the lease was lost; then nothing is changed. */
export interface DriverStore {
  take(share: Share, leaseMs: number): Promise<readonly DrivenJob[]>
  renew(job: DrivenJob, leaseMs: number): Promise<unknown>
  release(job: DrivenJob, release: ReleasedJob): Promise<void>
  /** The job as it is now; null when the lease was lost. */
  read(job: DrivenJob): Promise<DrivenJob | null>
  world(job: DrivenJob, slots: Slots): Promise<DrivenWorld>
  /** Counts a reading of the data that begins, also when the process dies in it. */
  beginReading(job: DrivenJob): Promise<boolean>
  setData(job: DrivenJob, data: ReadyData): Promise<boolean>
  setHold(job: DrivenJob, hold: { readonly number: number; readonly amountNano: bigint }): Promise<boolean>
  /** The charge is made; so much less is held. */
  setCost(job: DrivenJob, costNano: bigint): Promise<boolean>
  /** The charge is made, and nothing is held any more. */
  setSettled(job: DrivenJob, costNano: bigint): Promise<boolean>
  queue(job: DrivenJob): Promise<boolean>
  pause(job: DrivenJob): Promise<boolean>
  end(job: DrivenJob, end: JobEnd): Promise<boolean>
  /** Starts an attempt with the next generation; null when no place is free any more, or the job has changed. */
  startAttempt(job: DrivenJob, options: Slots & { readonly leaseMs: number }): Promise<AttemptId | null>
  command(job: DrivenJob, attempt: AttemptId, command: 'pause' | 'cancel'): Promise<boolean>
}

/** Something that happened in a job. */
export interface JobEvent {
  readonly id: string
  /** Place in the job, from 1. */
  readonly seq: number
  readonly level: 'info' | 'warn' | 'error'
  readonly type: 'message' | 'metrics'
  readonly message: string
  readonly data: Readonly<Record<string, unknown>> | null
  readonly createdAt: Date
}

export interface JobCheckpoint {
  readonly id: string
  readonly step: number
  readonly metrics: Readonly<Record<string, number | null>>
  readonly trainedTokens: number
  /** Name of its version; null for one of an earlier release. */
  readonly versionName: string | null
  readonly sha256: string
  readonly bytes: number
  readonly durableAt: Date
}

export interface StepMetrics {
  readonly step: number
  readonly at: Date
  readonly values: Readonly<Record<string, number | null>>
}

interface OfJob {
  readonly workspaceId: string
  /** UUID. */
  readonly jobId: string
}

export interface MetricRange {
  readonly fromStep: number
  /** Steps that have none of these are left out; null: none is. */
  readonly names: readonly string[] | null
  /** Maximum number of steps, at least 2. */
  readonly limit: number
}

/** What the API shows of the progress of jobs. */
export interface ProgressStore {
  /** Newest first, before the event with this place. */
  eventsBefore(job: OfJob, seq: number | null, limit: number): Promise<readonly JobEvent[]>
  /** Oldest first, after the event with this place. */
  eventsAfter(job: OfJob, seq: number, limit: number): Promise<readonly JobEvent[]>
  /** The place of an event of the job; null without one. */
  placeOf(job: OfJob, eventId: string): Promise<number | null>
  /** Durable and servable ones, the last step first, before this step. */
  checkpoints(job: OfJob, beforeStep: number | null, limit: number): Promise<readonly JobCheckpoint[]>
  /** The step of a checkpoint of the job; null without one. */
  stepOf(job: OfJob, checkpointId: string): Promise<number | null>
  /** By step. Of more steps than the limit, a part at equal distances. */
  metrics(job: OfJob, range: MetricRange): Promise<readonly StepMetrics[]>
  /** Adds an event of the service itself. @param id its UUID */
  addEvent(job: OfJob, event: Omit<JobEvent, 'seq'>): Promise<void>
}

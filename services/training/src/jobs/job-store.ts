import type { FineTuningStatus } from '@ratchet/contracts/fine-tuning'
import type { NewJob, TrainingJob } from './job.ts'

export interface JobFilter {
  readonly workspaceId: string
  readonly status?: FineTuningStatus | undefined
  readonly model?: string | undefined
  /** The last job of the previous page. */
  readonly after?: Pick<TrainingJob, 'id' | 'createdAt'> | undefined
  readonly limit: number
}

interface Where {
  readonly workspaceId: string
  readonly id: string
}

/** Fine-tuning jobs as the API reads and changes them. */
export interface JobStore {
  create(job: NewJob): Promise<TrainingJob>
  get(where: Where): Promise<TrainingJob | null>
  /** Newest first. */
  list(filter: JobFilter): Promise<readonly TrainingJob[]>
  /** Cancels a job, or asks it to end while it runs. Null when there is none that could be cancelled. */
  cancel(where: Where, at: Date): Promise<TrainingJob | null>
  /** Asks a running job to pause. Null when it does not run, or is being cancelled. */
  pause(where: Where): Promise<TrainingJob | null>
  /** Queues a paused job with its next hold. Null when it is not paused, or has had that hold before. */
  resume(where: Where, hold: { readonly number: number; readonly amountNano: bigint }): Promise<TrainingJob | null>
  /** Jobs of the workspace that have still to read the dataset or file with this UUID. */
  countReaders(where: { readonly workspaceId: string; readonly sourceId: string }): Promise<number>
  /** Jobs and GRPO runs of a workspace that have not ended. */
  countUnfinished(workspaceId: string): Promise<number>
  /** Unfinished jobs of all workspaces: those that run, by trainer, and those that are queued, by base model. */
  count(): Promise<{ readonly running: ReadonlyMap<string, number>; readonly queued: ReadonlyMap<string, number> }>
}

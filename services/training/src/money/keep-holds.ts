import type { JobHold } from './job-money.ts'

/** Keeps holds open. The ledger releases one that no call named for a day. */
export interface HoldsKept {
  /**
   * Keeps these holds of a workspace open for another day, at most 1,000 at a time.
   *
   * @returns those that are not open
   * @throws ServiceError `service_unavailable`
   */
  keep(workspaceId: string, holds: readonly JobHold[]): Promise<readonly JobHold[]>
}

/** Jobs that hold money, as the training service knows them. */
export interface HeldJobs {
  /** At most 1,000, in the order of their jobs' ids, after this one. */
  after(jobId: string | null): Promise<readonly JobHold[]>
}

export interface KeepHoldsDeps {
  readonly jobs: HeldJobs
  readonly money: HoldsKept
  /** A hold is not open any more although its job still has it. */
  readonly onLost: (hold: JobHold) => void
  /** The holds of a workspace could not be kept this time. */
  readonly onError: (error: unknown) => void
}

/** Keeps the holds of all jobs open. One workspace that fails does not keep the others from it. */
export async function keepHolds({ jobs, money, onLost, onError }: KeepHoldsDeps): Promise<void> {
  for (let page = await jobs.after(null); page.length > 0; page = await jobs.after(page.at(-1)?.jobId ?? null)) {
    for (const [workspaceId, holds] of Map.groupBy(page, (hold) => hold.workspaceId)) {
      const lost = await money.keep(workspaceId, holds).catch((error: unknown) => {
        onError(error)
        return []
      })
      for (const hold of lost) onLost(hold)
    }
  }
}

import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { JobHold, JobMoney } from './job-money.ts'

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

/** A job that holds money, as the training service knows it. */
export interface HeldJob extends JobHold {
  /** What it still holds, nano-dollars. */
  readonly heldNano: bigint
}

export interface HeldJobs {
  /** At most 1,000 of all workspaces, in the order of their ids, after this job. */
  after(jobId: string | null): Promise<readonly HeldJob[]>
}

export interface KeepHoldsDeps {
  readonly jobs: HeldJobs
  readonly money: HoldsKept & Pick<JobMoney, 'hold'>
  /** A hold is not open any more although its job still has it, and could not be taken again. */
  readonly onLost: (hold: JobHold) => void
  /** Holds could not be kept this time. */
  readonly onError: (error: unknown) => void
}

/**
 * Keeps the holds of all jobs open, and takes those again that the ledger has released, as it does when the training service
 * did not run for a day. A workspace that fails does not keep the others from it.
 */
export async function keepHolds(deps: KeepHoldsDeps): Promise<void> {
  const { jobs } = deps
  for (let page = await jobs.after(null); page.length > 0; page = await jobs.after(page.at(-1)?.jobId ?? null)) {
    for (const [workspaceId, held] of Map.groupBy(page, (job) => job.workspaceId)) {
      await keepThose(deps, workspaceId, held).catch(deps.onError)
    }
  }
}

async function keepThose({ money, onLost }: KeepHoldsDeps, workspaceId: string, held: readonly HeldJob[]) {
  const missing = new Set((await money.keep(workspaceId, held)).map(({ jobId }) => jobId))
  for (const { heldNano, ...hold } of held) {
    if (!missing.has(hold.jobId)) continue
    if (!(await money.hold(hold, heldNano).catch(falseIfEnded))) onLost(hold)
  }
}

/** A hold that was settled or released meanwhile is not taken again. */
function falseIfEnded(error: unknown): false {
  if (error instanceof ServiceError && error.code === 'conflict') return false
  throw error
}

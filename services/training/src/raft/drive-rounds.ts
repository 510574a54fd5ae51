import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { withLease } from '@ratchet/work-kit/leases/with-lease'
import { startDueWork } from '@ratchet/work-kit/polling/due-runner'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { type AdvanceRoundDeps, advanceRound } from './advance-round.ts'
import type { DrivenRound } from './round.ts'

export interface DriveRoundDeps extends AdvanceRoundDeps {
  /** Called when the database cannot be read. */
  readonly onError: (error: unknown) => void
  /** Called when a piece of work ended, and when there was none. */
  readonly onProgress: () => void
}

export interface DriveRoundOptions {
  readonly changes: WorkChanges
  readonly onStop: OnStop
  /** Between two searches for rounds, milliseconds. */
  readonly everyMs: number
}

/** Rounds that a worker has at the same time, and those of one workspace among them. Each makes eight calls at once. */
const concurrency = 4
const maxOfWorkspace = 1
const roundLeaseMs = 30_000

/** Advances rounds until the process stops. */
export function driveRounds(deps: DriveRoundDeps, { changes, onStop, everyMs }: DriveRoundOptions): void {
  const { work, onError, onProgress } = deps
  const leases = { lease: async () => null, renew: work.renew }
  startDueWork<DrivenRound>(
    {
      take: (limit, inProgress) =>
        work.take(
          { limit, inProgress: inProgress.map(({ workspaceId }) => workspaceId), maxOfWorkspace },
          roundLeaseMs,
        ),
      process: async (round) => {
        await withLease<DrivenRound>(leases, round, (leased) => advanceRound(deps, leased))
      },
      concurrency,
      onError,
      onProgress,
    },
    { everyMs, changes, onStop },
  )
}

import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { startLeasedWork } from '@ratchet/work-kit/polling/leased-work'
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

/** Advances rounds until the process stops. */
export function driveRounds(deps: DriveRoundDeps, { changes, onStop, everyMs }: DriveRoundOptions): void {
  const { work, onError, onProgress } = deps
  startLeasedWork<DrivenRound>(
    { rows: work, advance: (round) => advanceRound(deps, round), concurrency, maxOfWorkspace, onError, onProgress },
    { everyMs, changes, onStop },
  )
}

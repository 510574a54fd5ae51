import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { startLeasedWork } from '@ratchet/work-kit/polling/leased-work'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { type AdvanceDistillationDeps, advanceDistillation } from './advance-distillation.ts'
import type { DrivenDistillation } from './distillation.ts'

export interface DriveDistillationDeps extends AdvanceDistillationDeps {
  /** Called when the database cannot be read. */
  readonly onError: (error: unknown) => void
  /** Called when a piece of work ended, and when there was none. */
  readonly onProgress: () => void
}

/** How long one that ended is kept: as long as its key names it. Prompts and answers are copies of the log. */
const keptMs = 86_400_000

/** Deletes those that ended a day ago. */
export function forgetDistillations({ work, now }: Pick<DriveDistillationDeps, 'work' | 'now'>): Promise<void> {
  return work.forget(new Date(now().getTime() - keptMs))
}

export interface DriveDistillationOptions {
  readonly changes: WorkChanges
  readonly onStop: OnStop
  /** Between two searches, milliseconds. */
  readonly everyMs: number
}

/** Distillations that a worker has at the same time, and those of one workspace among them. Each makes eight calls at once. */
const concurrency = 2
const maxOfWorkspace = 1

/** Advances distillations until the process stops. */
export function driveDistillations(
  deps: DriveDistillationDeps,
  { changes, onStop, everyMs }: DriveDistillationOptions,
): void {
  const { work, onError, onProgress } = deps
  startLeasedWork<DrivenDistillation>(
    {
      rows: work,
      advance: (held) => advanceDistillation(deps, held),
      concurrency,
      maxOfWorkspace,
      onError,
      onProgress,
    },
    { everyMs, changes, onStop },
  )
}

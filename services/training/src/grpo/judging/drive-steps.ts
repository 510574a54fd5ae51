import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { startLeasedWork } from '@ratchet/work-kit/polling/leased-work'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { type JudgeStepDeps, judgeStep } from './judge-step.ts'
import type { LeasedStep } from './judged-step.ts'

export interface DriveStepsOptions {
  readonly changes: WorkChanges
  readonly onStop: OnStop
  /** Between two searches for steps, milliseconds. */
  readonly everyMs: number
  readonly onError: (error: unknown) => void
  readonly onProgress: () => void
}

/** Steps that a worker judges at the same time, and those of one workspace among them. */
const concurrency = 4
const maxOfWorkspace = 2

/** Judges the steps of runs until the process stops. */
export function driveSteps(deps: JudgeStepDeps, { changes, onStop, everyMs, onError, onProgress }: DriveStepsOptions) {
  const { store } = deps
  startLeasedWork<LeasedStep>(
    { rows: store, advance: (step) => judgeStep(deps, step), concurrency, maxOfWorkspace, onError, onProgress },
    { everyMs, changes, onStop },
  )
}

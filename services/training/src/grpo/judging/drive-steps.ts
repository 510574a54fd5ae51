import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { withLease } from '@ratchet/work-kit/leases/with-lease'
import { startDueWork } from '@ratchet/work-kit/polling/due-runner'
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
const leaseMs = 30_000

/** Judges the steps of runs until the process stops. */
export function driveSteps(deps: JudgeStepDeps, { changes, onStop, everyMs, onError, onProgress }: DriveStepsOptions) {
  const { store } = deps
  const leases = { lease: async () => null, renew: store.renew }
  startDueWork<LeasedStep>(
    {
      take: (limit, inProgress) =>
        store.take({ limit, inProgress: inProgress.map(({ workspaceId }) => workspaceId), maxOfWorkspace }, leaseMs),
      process: async (step) => {
        await withLease<LeasedStep>(leases, step, (leased) => judgeStep(deps, leased))
      },
      concurrency,
      onError,
      onProgress,
    },
    { everyMs, changes, onStop },
  )
}

import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { startLeasedWork } from '@ratchet/work-kit/polling/leased-work'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { type AdvanceDeps, advanceJob } from './advance-job.ts'
import type { DrivenJob } from './driver-store.ts'
import { type ReconcileDeps, reconcileTrainers } from './reconcile-trainers.ts'

export interface DriveDeps extends Omit<AdvanceDeps, 'onEvent'> {
  readonly attempts: AdvanceDeps['attempts'] & ReconcileDeps['attempts']
  readonly onJob: AdvanceDeps['onEvent']
  readonly onTrainer: ReconcileDeps['onEvent']
  /** Called when trainers cannot be compared with their attempts. */
  readonly onTrainersFailed: (error: unknown) => void
  /** Called when the database cannot be read. */
  readonly onError: (error: unknown) => void
  /** Called when a piece of work ended, and when there was none. */
  readonly onProgress: () => void
}

export interface DriveOptions {
  readonly changes: WorkChanges
  readonly onStop: OnStop
  /** Between two searches for jobs, milliseconds. */
  readonly everyMs: number
  /** Between two comparisons of trainers with attempts, milliseconds. */
  readonly reconcileEveryMs: number
}

/** Jobs that a worker advances at the same time, which takes a moment each, and those of one workspace among them. */
const concurrency = 4
const maxOfWorkspace = 2

export interface Driving {
  /** Compares trainers with attempts now, such as when one has exited. */
  reconcile(): Promise<void>
}

/**
 * Advances jobs until the process stops. Then trainers that run in it save and end, which costs their jobs no attempt, and
 * another worker goes on.
 */
export function driveJobs(deps: DriveDeps, { changes, onStop, everyMs, reconcileEveryMs }: DriveOptions): Driving {
  const { store, trainers, onError, onProgress } = deps
  const advance = { ...deps, onEvent: deps.onJob }
  const reconcile = () =>
    reconcileTrainers({ ...deps, trainers: trainers.values(), leaseMs: deps.attemptLeaseMs, onEvent: deps.onTrainer })
  // Cleanups run in reverse order: no new attempt begins here after the trainers were stopped.
  onStop(async () => {
    const local = [...trainers.values()].filter(({ endsWithWorker }) => endsWithWorker)
    const listed = await Promise.all(local.map(async (trainer) => ({ trainer, all: await trainer.list() })))
    const stops = listed.flatMap(({ trainer, all }) => all.map(({ name }) => trainer.stop(name, 'gracefully')))
    await Promise.all(stops)
    await reconcile()
  })
  startLeasedWork<DrivenJob>(
    { rows: store, advance: (job) => advanceJob(advance, job), concurrency, maxOfWorkspace, onError, onProgress },
    { everyMs, changes, onStop },
  )
  onStop(repeatEvery({ everyMs: reconcileEveryMs, work: reconcile, onError: deps.onTrainersFailed }))
  return { reconcile }
}

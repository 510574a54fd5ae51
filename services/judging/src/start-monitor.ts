import { driftSweepQueue } from '@ratchet/contracts/queues'
import type { Pool } from '@ratchet/db/connect-pool'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { firstUuidV7At, uuidV7 } from '@ratchet/service-kit/ids'
import { keepSchedule, startQueueWorker } from '@ratchet/service-kit/queue'
import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { createPgDrift } from './drift/pg-drift.ts'
import { sweepDrift } from './drift/sweep-drift.ts'
import type { WorkerEvents } from './events.ts'
import type { JudgementStore } from './judgements/judgement.ts'
import { createPgPurging } from './judgements/pg-purging.ts'
import { purgeJudgements } from './judgements/purge-judgements.ts'
import { createPgMonitor } from './monitor/pg-monitor.ts'
import { watchTraffic } from './monitor/watch-traffic.ts'
import { createPgRuns } from './runs/pg-runs.ts'
import type { JudgingWorkerConfig } from './start-worker.ts'

export interface MonitorContext {
  readonly pool: Pool
  readonly lifecycle: Lifecycle
  readonly events: WorkerEvents
  readonly log: LogReader
  readonly judgements: JudgementStore
  readonly now: () => Date
  readonly enqueueJudgements: (ids: readonly string[]) => Promise<void>
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
  readonly onProgress: () => void
}

const forgetEveryMs = 600_000
/** How a drop has to look to be flagged: the field's choice for looks that are repeated week after week. */
const driftRule = { minJudged: 50, alpha: 0.005, minDrop: 0.03, liveDays: 7 }

/** What happens without anybody asking: fresh traffic is judged, judges are looked after, what is gone is forgotten. */
export function startMonitor(config: JudgingWorkerConfig, context: MonitorContext): void {
  const { pool, events, log, judgements, now, enqueueJudgements, lifecycle } = context
  const watch = () =>
    watchTraffic({
      monitor: createPgMonitor(pool),
      judgements,
      log,
      now,
      settleMs: config.MONITOR_SETTLE_MS,
      firstIdAt: (at) => firstUuidV7At(at.getTime()),
      enqueueJudgements,
      onFailure: events.monitorFailed,
    })
  const everyMs = config.MONITOR_EVERY_MS
  lifecycle.onStop(repeatEvery({ everyMs, work: watch, onError: (cause) => events.monitorFailed(null, cause) }))
  const forget = () => purgeJudgements({ store: createPgPurging(pool), log })
  lifecycle.onStop(repeatEvery({ everyMs: forgetEveryMs, work: forget, onError: events.purgeFailed }))
  startDriftSweep(config, context)
}

function startDriftSweep(config: JudgingWorkerConfig, { pool, lifecycle, events, now, ...context }: MonitorContext) {
  const queue = { redisUrl: config.REDIS_URL, onStop: lifecycle.onStop, onError: events.queueFailed }
  const settings = { ...driftRule, staleDays: config.CALIBRATION_HOLDS_DAYS }
  const sweep = () =>
    sweepDrift({
      drift: createPgDrift(pool),
      runs: createPgRuns(pool),
      settings,
      now,
      newId: () => uuidV7(now().getTime()),
      enqueueRuns: context.enqueueRuns,
      onFailure: events.driftFailed,
    })
  startQueueWorker(driftSweepQueue, sweep, { ...queue, concurrency: 1, onProgress: context.onProgress })
  keepSchedule(driftSweepQueue, { ...queue, everyMs: config.DRIFT_SWEEP_MS })
}

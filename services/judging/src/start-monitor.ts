import { driftSweepQueue } from '@ratchet/contracts/queues'
import type { Pool } from '@ratchet/db/connect-pool'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { firstUuidV7At, uuidV7 } from '@ratchet/service-kit/values/ids'
import { sweepAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import type { NotifyLive } from '@ratchet/work-kit/live/live-notifier'
import { keepSchedule, startQueueWorker } from '@ratchet/work-kit/queue/queue'
import { driftRule } from './drift/drift-rule.ts'
import { createPgDrift } from './drift/pg-drift.ts'
import { sweepDrift } from './drift/sweep-drift.ts'
import type { WorkerEvents } from './events.ts'
import type { JudgementStore } from './judgements/judgement.ts'
import { createPgPurging } from './judgements/pg-purging.ts'
import { purgeJudgements } from './judgements/purge-judgements.ts'
import { createPgCapNotices } from './monitor/pg-cap-notices.ts'
import { createPgMonitor } from './monitor/pg-monitor.ts'
import { watchRuns } from './monitor/watch-runs.ts'
import { watchTraffic } from './monitor/watch-traffic.ts'
import { createNotifyJudges, withDriftNotices } from './runs/notify-judges.ts'
import { createPgRuns } from './runs/pg-runs.ts'
import type { JudgingWorkerConfig } from './worker-config.ts'

export interface MonitorContext {
  readonly pool: Pool
  readonly lifecycle: Lifecycle
  readonly events: WorkerEvents
  readonly log: LogReader
  readonly judgements: JudgementStore
  readonly notices: NotifyLive
  readonly now: () => Date
  readonly enqueueJudgements: (ids: readonly string[]) => Promise<void>
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
  readonly onProgress: () => void
}

const purgeEveryMs = 600_000

/** Starts the work that no request triggers: monitoring, purging and the drift sweep. */
export function startMonitor(config: JudgingWorkerConfig, context: MonitorContext): void {
  const { pool, events, log, judgements, now, enqueueJudgements, lifecycle } = context
  const watching = {
    monitor: createPgMonitor(pool),
    capNotices: createPgCapNotices(pool),
    judgements,
    log,
    now,
    ingestLagMs: config.MONITOR_INGEST_LAG_MS,
    enqueueJudgements,
    onFailure: events.monitorFailed,
  }
  const watch = async () => {
    await watchTraffic({ ...watching, firstIdAt: (at) => firstUuidV7At(at.getTime()) })
    await watchRuns(watching)
  }
  const everyMs = config.MONITOR_EVERY_MS
  lifecycle.onStop(repeatEvery({ everyMs, work: watch, onError: (cause) => events.monitorFailed(null, cause) }))
  const purge = async () => {
    await sweepAnswers(pool, 'judging_answer')
    await purgeJudgements({ store: createPgPurging(pool), log })
  }
  lifecycle.onStop(repeatEvery({ everyMs: purgeEveryMs, work: purge, onError: events.purgeFailed }))
  startDriftSweep(config, context)
}

function startDriftSweep(config: JudgingWorkerConfig, { pool, lifecycle, events, now, ...context }: MonitorContext) {
  const queue = { redisUrl: config.REDIS_URL, onStop: lifecycle.onStop, onError: events.queueFailed }
  const rule = { ...driftRule, staleDays: config.CALIBRATION_HOLDS_DAYS }
  const sweep = () =>
    sweepDrift({
      drift: withDriftNotices(createPgDrift(pool), createNotifyJudges(context.notices, now)),
      runs: createPgRuns(pool),
      rule,
      now,
      newId: () => uuidV7(now().getTime()),
      enqueueRuns: context.enqueueRuns,
      onFailure: events.driftFailed,
    })
  startQueueWorker(driftSweepQueue, sweep, { ...queue, concurrency: 1, onProgress: context.onProgress })
  keepSchedule(driftSweepQueue, { ...queue, everyMs: config.DRIFT_SWEEP_MS })
}

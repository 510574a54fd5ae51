import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'

/** State of one kind of work, read from its rows. */
export interface WorkReading {
  /** Name of its queue, or of its kind when it has no queue. */
  readonly queue: string
  /** Rows that are not done yet, leased or not. */
  readonly unfinished: number
  /** Unfinished rows that a worker has leased; null when leases are not recorded. */
  readonly leased: number | null
  /** Dead-lettered rows that still exist; null for work that is never dead-lettered. */
  readonly deadLettered: number | null
  /** Longest time that a due row has waited, seconds; 0 when none waits. */
  readonly oldestPendingSeconds: number
}

export interface WatchWorkOptions {
  readonly metrics: Pick<ProcessMetrics, 'registry'>
  /** Reads the database. It must be cheap. */
  readonly read: () => Promise<readonly WorkReading[]>
  readonly now: () => Date
  readonly onStop: OnStop
  readonly logger: { warn(fields: object, message: string): void }
  readonly everyMs?: number
}

/** Older figures are not exported: without a figure a scaler keeps its replicas, with a stale one it would change them. */
const staleAfterMs = 60_000

interface LastReading {
  readonly atMs: number
  readonly readings: readonly WorkReading[]
}

/**
 * Exports how much work there is, from Postgres, which knows it also while Redis is unavailable. It is read in the
 * background: no scrape waits for the database or causes a query.
 */
export function watchWork({ metrics, read, now, onStop, logger, everyMs = 15_000 }: WatchWorkOptions): void {
  let last: LastReading = { atMs: now().getTime(), readings: [] }
  const ageMs = () => now().getTime() - last.atMs
  const readAll = async () => {
    const readings = await read()
    last = { atMs: now().getTime(), readings }
  }
  const onError = (error: unknown) => logger.warn({ event: 'work_not_counted', err: error }, 'work was not counted')
  const registers = [metrics.registry]
  const gauge = (name: string, help: string, figureOf: (reading: WorkReading) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers,
      collect() {
        this.reset()
        if (ageMs() > staleAfterMs) return
        for (const reading of last.readings) {
          const value = figureOf(reading)
          if (value !== null) this.set({ queue: reading.queue }, value)
        }
      },
    })
  gauge(
    'ratchet_work_items_unfinished',
    'Work items that are not done: pending and leased.',
    ({ unfinished }) => unfinished,
  )
  gauge('ratchet_work_items_leased', 'Work items that a worker has leased.', ({ leased }) => leased)
  gauge(
    'ratchet_work_items_dead_lettered',
    'Dead-lettered work items that still exist.',
    ({ deadLettered }) => deadLettered,
  )
  gauge(
    'ratchet_work_oldest_pending_age_seconds',
    'Longest time that a due work item has waited; 0 when none waits.',
    ({ oldestPendingSeconds }) => oldestPendingSeconds,
  )
  new Gauge({
    name: 'ratchet_work_read_age_seconds',
    help: 'Time since work items were last counted; counts older than a minute are not exported.',
    registers,
    collect() {
      this.set(ageMs() / 1_000)
    },
  })
  void readAll().catch(onError)
  onStop(repeatEvery({ everyMs, work: readAll, onError }))
}

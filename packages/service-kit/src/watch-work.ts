import { Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'
import { repeatEvery } from './repeat-every.ts'
import type { OnStop } from './run-process.ts'

/** The state of one kind of work, as the rows tell it. */
export interface WorkReading {
  /** The name of its queue, or of its kind where no queue rings for it. */
  readonly queue: string
  /** Rows that are not done yet, whether somebody has them or not. */
  readonly unfinished: number
  /** Those of them that somebody has; null where that is not told apart. */
  readonly leased: number | null
  /** Rows that were given up and are still there; null where work is not given up. */
  readonly poisoned: number | null
  /** Seconds for which a row could have been taken on, the longest of all; 0 when none waits. */
  readonly oldestPendingSeconds: number
}

export interface WatchWorkOptions {
  readonly metrics: Pick<ProcessMetrics, 'registry'>
  /** Reads the database; has to be cheap. */
  readonly read: () => Promise<readonly WorkReading[]>
  readonly now: () => Date
  readonly onStop: OnStop
  readonly logger: { warn(fields: object, message: string): void }
  readonly everyMs?: number
}

/** What is older is not shown: a scaler that is told nothing keeps what it has, one that is told an old figure does not. */
const staleAfterMs = 60_000

interface LastReading {
  readonly atMs: number
  readonly readings: readonly WorkReading[]
}

/**
 * Shows how much work there is, from Postgres, which knows it also while Redis does not. It is read in the
 * background: no scrape waits for the database, and no scrape makes it work.
 */
export function watchWork({ metrics, read, now, onStop, logger, everyMs = 15_000 }: WatchWorkOptions): void {
  let last: LastReading = { atMs: now().getTime(), readings: [] }
  const ageMs = () => now().getTime() - last.atMs
  const look = async () => {
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
  gauge('work_unfinished', 'Rows of work that are not done: pending and leased.', ({ unfinished }) => unfinished)
  gauge('work_leased', 'Rows of work that a worker has.', ({ leased }) => leased)
  gauge('work_poisoned', 'Rows of work that were given up and are still kept.', ({ poisoned }) => poisoned)
  gauge(
    'work_oldest_pending_seconds',
    'How long the row that waits longest could have been taken on.',
    ({ oldestPendingSeconds }) => oldestPendingSeconds,
  )
  new Gauge({
    name: 'work_read_age_seconds',
    help: 'Since work was last counted; what is older than a minute is not shown.',
    registers,
    collect() {
      this.set(ageMs() / 1_000)
    },
  })
  void look().catch(onError)
  onStop(repeatEvery({ everyMs, work: look, onError }))
}

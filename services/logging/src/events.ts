import { Counter, type ProcessMetrics, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { WorkerEvent } from './capture/capture-worker.ts'
import type { IngestEvent } from './capture/ingest.ts'
import type { RetentionReport } from './domain/retention-report.ts'

/** What the log reports of its business: one function per kind of fact, ids only in logs. */
export interface LoggingEvents {
  ingest(event: IngestEvent): void
  worker(event: WorkerEvent): void
  redactionCrashed(cause: unknown): void
  swept(report: RetentionReport | null): void
  sweepFailed(cause: unknown): void
}

export function createLoggingEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): LoggingEvents {
  const registers = [registry]
  return {
    ingest: ingestEvents(registers, logger),
    worker: workerEvents(registers, logger),
    redactionCrashed: crashEvents(registers, logger),
    ...sweepEvents(registers, logger),
  }
}

function ingestEvents(registers: Registry[], logger: Logger): LoggingEvents['ingest'] {
  const exchanges = new Counter({
    name: 'ingested_exchanges_total',
    help: 'Exchanges that came in: stored, stored before, past their time, or refused because they never can be.',
    labelNames: ['outcome'],
    registers,
  })
  startAtZero(exchanges, 'outcome', ['stored', 'duplicate', 'expired', 'refused'])
  return (event) => {
    if (event.kind !== 'refused') return exchanges.inc({ outcome: event.kind }, event.count)
    exchanges.inc({ outcome: 'refused' })
    logger.error(
      { event: 'exchange_refused', requestId: event.requestId, err: event.cause },
      'an exchange is unreadable',
    )
  }
}

function workerEvents(registers: Registry[], logger: Logger): LoggingEvents['worker'] {
  const events = new Counter({
    name: 'capture_worker_events_total',
    help: 'Failures to read or to store, and entries of the stream that were put aside.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(events, 'kind', ['failed', 'poison'])
  return (event) => {
    if (event.kind === 'failed') {
      events.inc({ kind: 'failed' })
      return logger.warn({ err: event.cause }, 'captured exchanges wait')
    }
    events.inc({ kind: 'poison' }, event.count)
    logger.error({ event: 'capture_poison', count: event.count }, 'captured exchanges were put aside')
  }
}

function crashEvents(registers: Registry[], logger: Logger): LoggingEvents['redactionCrashed'] {
  const crashes = new Counter({
    name: 'redaction_crashes_total',
    help: 'Times that the thread which redacts died or hung over a text, and was started again.',
    registers,
  })
  return (cause) => {
    crashes.inc()
    logger.error({ event: 'redaction_crashed', err: cause }, 'the redacting thread died and starts again')
  }
}

function sweepEvents(registers: Registry[], logger: Logger): Pick<LoggingEvents, 'swept' | 'sweepFailed'> {
  const rows = new Counter({
    name: 'log_retention_total',
    help: 'Partitions that were dropped, rows that were deleted, rows that expire sooner than they were to, files of deleted workspaces.',
    labelNames: ['what'],
    registers,
  })
  startAtZero(rows, 'what', ['partitions', 'deleted', 'shortened', 'files'])
  const failures = new Counter({
    name: 'log_retention_failures_total',
    help: 'Sweeps of the log that failed: what is past its time stays.',
    registers,
  })
  return {
    swept(report) {
      if (report === null) return
      rows.inc({ what: 'partitions' }, report.droppedPartitions)
      rows.inc({ what: 'deleted' }, report.deletedRows)
      rows.inc({ what: 'shortened' }, report.shortenedRows)
      rows.inc({ what: 'files' }, report.deletedFiles)
    },
    sweepFailed(cause) {
      failures.inc()
      logger.error({ event: 'retention_failed', err: cause }, 'the sweep of the log failed')
    },
  }
}

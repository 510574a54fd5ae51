import { Counter, type ProcessMetrics, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { WorkerEvent } from './capture/capture-worker.ts'
import type { IngestEvent } from './capture/ingest.ts'
import type { Reconciliation } from './reconciliation/reconciliation.ts'
import type { RewriteReport } from './retention/pg-rewrite.ts'
import type { RetentionReport } from './retention/retention.ts'

/** Metrics and log lines of the logging service. Ids appear only in log lines, never as metric labels. */
export interface LoggingEvents {
  ingest(event: IngestEvent): void
  worker(event: WorkerEvent): void
  redactionCrashed(cause: unknown): void
  swept(report: RetentionReport | null): void
  sweepFailed(cause: unknown): void
  rewritten(report: RewriteReport): void
  rewriteFailed(cause: unknown): void
  reconciled(result: Reconciliation): void
  reconciliationFailed(cause: unknown): void
}

export function createLoggingEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): LoggingEvents {
  const registers = [registry]
  return {
    ingest: ingestEvents(registers, logger),
    worker: workerEvents(registers, logger),
    redactionCrashed: crashEvents(registers, logger),
    ...sweepEvents(registers, logger),
    ...rewriteEvents(registers, logger),
    ...reconciliationEvents(registers, logger),
  }
}

function ingestEvents(registers: Registry[], logger: Logger): LoggingEvents['ingest'] {
  const exchanges = new Counter({
    name: 'ratchet_log_received_exchanges_total',
    help: 'Exchanges that the log received: stored, duplicates, expired, or refused because they can never be stored.',
    labelNames: ['outcome'],
    registers,
  })
  startAtZero(exchanges, 'outcome', ['stored', 'duplicate', 'expired', 'refused'])
  return (event) => {
    if (event.kind !== 'refused') return exchanges.inc({ outcome: event.kind }, event.count)
    exchanges.inc({ outcome: 'refused' })
    logger.error(
      { event: 'exchange_refused', requestId: event.requestId, err: event.cause },
      'exchange refused: it can never be stored',
    )
  }
}

function workerEvents(registers: Registry[], logger: Logger): LoggingEvents['worker'] {
  const failures = new Counter({
    name: 'ratchet_capture_failures_total',
    help: 'Failed attempts to read captured exchanges or to store them; they are retried.',
    registers,
  })
  const deadLettered = new Counter({
    name: 'ratchet_capture_dead_lettered_exchanges_total',
    help: 'Captured exchanges that cannot be stored and were moved to the dead-letter stream.',
    registers,
  })
  return (event) => {
    if (event.kind === 'failed') {
      failures.inc()
      return logger.warn({ err: event.cause }, 'captured exchanges cannot be read or stored; retrying')
    }
    deadLettered.inc(event.count)
    logger.error({ event: 'capture_dead_lettered', count: event.count }, 'captured exchanges dead-lettered')
  }
}

function crashEvents(registers: Registry[], logger: Logger): LoggingEvents['redactionCrashed'] {
  const crashes = new Counter({
    name: 'ratchet_redaction_crashes_total',
    help: 'How often the redaction thread crashed or did not answer in time, and was restarted.',
    registers,
  })
  return (cause) => {
    crashes.inc()
    logger.error({ event: 'redaction_crashed', err: cause }, 'redaction thread died or hung; restarting')
  }
}

function sweepEvents(registers: Registry[], logger: Logger): Pick<LoggingEvents, 'swept' | 'sweepFailed'> {
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  const partitions = counter(
    'ratchet_log_retention_dropped_partitions_total',
    'Partitions of expired exchanges dropped.',
  )
  const rows = counter('ratchet_log_retention_deleted_rows_total', 'Expired rows that were deleted one by one.')
  const shortened = counter('ratchet_log_retention_shortened_rows_total', 'Rows that expire earlier than before.')
  const files = counter('ratchet_log_retention_deleted_files_total', 'Files of deleted workspaces that were deleted.')
  const failures = counter('ratchet_log_retention_failures_total', 'Retention runs that failed; expired data remains.')
  return {
    swept(report) {
      if (report === null) return
      partitions.inc(report.droppedPartitions)
      rows.inc(report.deletedRows)
      shortened.inc(report.shortenedRows)
      files.inc(report.deletedFiles)
    },
    sweepFailed(cause) {
      failures.inc()
      logger.error({ event: 'retention_failed', err: cause }, 'sweep of the log failed')
    },
  }
}

function rewriteEvents(registers: Registry[], logger: Logger): Pick<LoggingEvents, 'rewritten' | 'rewriteFailed'> {
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  const partitions = counter(
    'ratchet_log_rewritten_partitions_total',
    'Partitions that were written again, so that their files contain nothing of deleted exchanges.',
  )
  const tooLarge = counter(
    'ratchet_log_unerased_partitions_total',
    'Partitions with deleted exchanges that are too large to be written again.',
  )
  const failures = counter('ratchet_log_rewrite_failures_total', 'Failed rewrites of files after deletions; retried.')
  return {
    rewritten(report) {
      partitions.inc(report.rewritten.length)
      tooLarge.inc(report.tooLarge.length)
      for (const partition of report.tooLarge) {
        const line = { event: 'partition_not_rewritten', ...partition }
        logger.warn(line, 'a partition with deleted exchanges is too large to be written again')
      }
    },
    rewriteFailed(cause) {
      failures.inc()
      logger.warn(
        { event: 'rewrite_failed', err: cause },
        'files with deleted exchanges were not written again; retrying',
      )
    },
  }
}

/** Ids in one log line. */
const maxNamed = 20

function reconciliationEvents(
  registers: Registry[],
  logger: Logger,
): Pick<LoggingEvents, 'reconciled' | 'reconciliationFailed'> {
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  const compared = counter('ratchet_log_compared_charges_total', 'Charges that were compared with the log.')
  const missing = counter('ratchet_log_missing_exchanges_total', 'Charged exchanges that did not arrive in the log.')
  const failures = counter('ratchet_log_reconciliation_failures_total', 'Failed comparisons of charges with the log.')
  return {
    reconciled(result) {
      compared.inc(result.compared)
      if (result.missing.length === 0) return
      missing.inc(result.missing.length)
      for (let at = 0; at < result.missing.length; at += maxNamed) {
        const exchanges = result.missing.slice(at, at + maxNamed)
        const line = { event: 'exchanges_missing', count: exchanges.length, exchanges }
        logger.error(line, 'charged exchanges did not arrive in the log')
      }
    },
    reconciliationFailed(cause) {
      failures.inc()
      logger.warn({ err: cause }, 'charges cannot be compared with the log; retrying')
    },
  }
}

export interface FailureLogger {
  warn(fields: object, message: string): void
}

/** Shortest time between two lines: an outage fails attempts every second. */
const warnEveryMs = 60_000

/** Logs failed attempts to publish: the first one at once, later ones at most once a minute with their number. */
export function createFailureLog(logger: FailureLogger, now: () => Date) {
  let lastMs = Number.NEGATIVE_INFINITY
  let count = 0
  return {
    /** @param rowId null when the outbox could not be read */
    report(cause: unknown, rowId: string | null = null): void {
      count += 1
      if (now().getTime() - lastMs < warnEveryMs) return
      const fields = { event: 'webhook_events_unpublished', failures: count, rowId, err: cause }
      logger.warn(fields, 'webhook events could not be published and are retried')
      lastMs = now().getTime()
      count = 0
    },
  }
}

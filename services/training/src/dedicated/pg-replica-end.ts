import { addedEvent, closedIntervals } from './replica-statements.ts'

interface EndingSql {
  /** Which replica ends; the row is called `r`. */
  readonly condition: string
  readonly reason: string
  /** Whether it counts as a start that failed. */
  readonly hasFailed: string
  /** It is charged at most to this moment; null: to now. */
  readonly until: string
}

/** Common table expressions that end replicas: their rows, as `changed`, with an event, and a failed start of their endpoint. */
export function endedReplica({ condition, reason, hasFailed, until }: EndingSql): string {
  return `changed AS (
    UPDATE replica r SET state = 'ended', ended_at = now(), end_reason = ${reason}, address = NULL
    WHERE ${condition} AND r.state <> 'ended' RETURNING r.*
  ), ${closedIntervals('changed', until)}, counted AS (
    UPDATE dedicated_endpoint e SET event_seq = e.event_seq + 1,
      failed_starts = e.failed_starts + CASE WHEN ${hasFailed} THEN 1 ELSE 0 END,
      last_error = CASE WHEN ${hasFailed} THEN ${reason} ELSE e.last_error END,
      leased_until = CASE WHEN e.attempts = 0 THEN NULL ELSE e.leased_until END
    FROM changed c WHERE e.id = c.endpoint_id RETURNING e.*, c.id AS replica_id
  ), ${addedEvent('counted', { type: 'replica', replica: 'e.replica_id', message: `'A replica has ended: ' || ${reason}` })}`
}

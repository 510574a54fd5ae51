/**
 * The end of the interval in which a replica works, as SQL: now, at most to the end of the windows that were held for it, and
 * to `until`, but never before what was charged. A clock that jumps back makes no interval shorter than its charges.
 */
function closingOf(until: string): string {
  return `greatest(i.from_at,
    (SELECT to_timestamp((max(w.number) + 1) * 300) FROM replica_window w
      WHERE w.replica_id = i.replica_id AND w.ready_ms > 0),
    least(now(), ${until}, (SELECT to_timestamp((max(w.number) + 1) * 300) FROM replica_window w
      WHERE w.replica_id = i.replica_id AND w.state <> 'asked')))`
}

/**
 * The beginning of an interval, as SQL: now, but after every window that is charged already. Without a clock that jumps back there
 * is none later than now.
 */
export function beginningOf(replica: string): string {
  return `greatest(now(), (SELECT to_timestamp((max(w.number) + 1) * 300) FROM replica_window w
    WHERE w.replica_id = ${replica} AND w.ready_ms IS NOT NULL))`
}

/**
 * Common table expressions that close the intervals of replicas that have ended.
 *
 * @param changed name of a common table expression with the columns of `replica`
 * @param until SQL of the moment to which they are charged at most
 */
export function closedIntervals(changed: string, until = 'NULL'): string {
  return `closed AS (
    UPDATE replica_interval i SET to_at = ${closingOf(until)} FROM ${changed} c
    WHERE i.replica_id = c.id AND i.to_at IS NULL
  )`
}

/** What an endpoint has cost until now. @param endpoint SQL of its id */
export function costOf(endpoint: string): string {
  return `(SELECT coalesce(sum(c.cost_nano), 0) FROM replica_window_cost c WHERE c.endpoint_id = ${endpoint})`
}

/** Events of an endpoint that are kept, which is more than are shown: changing it again and again must not fill the database. */
const keptEvents = 1_000

/**
 * Common table expressions that add events to endpoints.
 *
 * @param changed name of a common table expression with the columns of `dedicated_endpoint`, `event_seq` being the number of the
 *   event
 */
export function addedEvent(changed: string, { type, replica = 'NULL', message }: EventSql): string {
  return `forgotten AS (
    DELETE FROM dedicated_event v USING ${changed} e
    WHERE v.endpoint_id = e.id AND v.workspace_id = e.workspace_id AND v.seq <= e.event_seq - ${keptEvents}
  ), noted AS (
    INSERT INTO dedicated_event (endpoint_id, seq, id, workspace_id, at, type, state, replica_id, message, cost_nano)
    SELECT e.id, e.event_seq, gen_random_uuid(), e.workspace_id, now(), '${type}', e.state, ${replica}, ${message}, ${costOf('e.id')}
    FROM ${changed} e
  )`
}

interface EventSql {
  readonly type: 'state' | 'replica' | 'changed'
  /** SQL of the id of the replica that it is about. */
  readonly replica?: string
  /** SQL of its text. */
  readonly message: string
}

/**
 * Common table expressions that tell webhooks about states.
 *
 * @param changed name of a common table expression with the columns of `dedicated_endpoint`
 */
export function stateNotices(changed: string): string {
  return `told AS (
    INSERT INTO training_notice (id, workspace_id, type, data, created_at)
    SELECT gen_random_uuid(), e.workspace_id, 'endpoint.state_changed', ${noticeData('e')}, now() FROM ${changed} e
  )`
}

export function noticeData(endpoint: string): string {
  return `json_build_object('object', 'dedicated.endpoint', 'id', 'dep_' || replace(${endpoint}.id::text, '-', ''),
    'state', ${endpoint}.state, 'message', ${endpoint}.status_message)::text`
}

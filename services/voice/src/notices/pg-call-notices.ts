/** SQL of a time as the API shows it; null stays null. */
const timeOf = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const idOf = (prefix: string, column: string): string => `'${prefix}' || replace(${column}::text, '-', '')`

/**
 * SQL of a call `c` in an event: all of it that stays when what was said is erased. So texts, variables, metadata and the number of the
 * other side are not in it; a receiver reads them with its own key.
 */
const callData = `
  jsonb_build_object('object', 'call', 'id', ${idOf('call_', 'c.id')}, 'type', c.type, 'direction', c.direction,
    'number_id', ${idOf('num_', 'c.number_id')}, 'status', c.status, 'env', c.env, 'agent_id', ${idOf('agent_', 'c.agent_id')},
    'agent_version', c.agent_version, 'arm', c.arm, 'created_at', ${timeOf('c.created_at')},
    'answered_at', ${timeOf('c.answered_at')}, 'ended_at', ${timeOf('c.ended_at')},
    'duration_seconds', CASE WHEN c.answered_at IS NOT NULL THEN c.talked_ms / 1000.0 END,
    'ended_reason', c.ended_reason, 'ended_by', c.ended_by)`

/**
 * SQL that adds an event for each of these calls, to be part of the statement that changes them: there is an event exactly when there
 * is the change.
 *
 * @param changed name of a common table expression with all columns of `call`
 */
export function addCallNotices(changed: string, type: 'call.started' | 'call.analyzed', condition = 'true'): string {
  return `
  INSERT INTO voice_notice (workspace_id, subject_id, type, data, created_at)
  SELECT c.workspace_id, c.id, '${type}', ${callData}, clock_timestamp() FROM ${changed} c WHERE ${condition}`
}

/**
 * The same for calls that have ended. Behind the event of the end there is one for a call whose worker was lost, and one for a call that
 * was recorded: nothing is written to a recording after the end.
 */
export function addEndNotices(ended: string): string {
  return `
  INSERT INTO voice_notice (workspace_id, subject_id, type, data, created_at)
  SELECT c.workspace_id, c.id, n.type, ${callData}, clock_timestamp() FROM ${ended} c
    JOIN (VALUES (1, 'call.ended'), (2, 'call.worker_lost'), (3, 'call.recording_ready')) n(place, type)
      ON CASE n.place WHEN 1 THEN true WHEN 2 THEN c.ended_reason = 'worker_lost' ELSE EXISTS (
        SELECT FROM call_recording_chunk r WHERE r.workspace_id = c.workspace_id AND r.call_id = c.id) END
  ORDER BY c.id, n.place`
}

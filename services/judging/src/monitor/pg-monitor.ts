import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { RunPlace } from '@ratchet/judge-kit/fleet/log-reader'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { weeklySources } from '../runs/weekly-sources.ts'

import type { OnlineCriterion } from './online-criterion.ts'

interface OnlineRow
  extends Pick<
    Row<'criterion'>,
    | 'id'
    | 'workspace_id'
    | 'created_by'
    | 'instrument'
    | 'population'
    | 'population_family'
    | 'online_percent'
    | 'online_cap_nano'
  > {
  readonly spent_nano: string
}

/** Advisory locks: one worker monitors at a time. */
const monitorLocks = { request: 7_302_001, trace: 7_302_002 } as const
type Unit = StoredCriterion['unit']

export type MonitorStore = ReturnType<typeof createPgMonitor>

export function createPgMonitor(pool: Pool) {
  return {
    /** Judges of all workspaces that monitor, ordered by workspace. */
    async onlineCriteria(unit: Unit): Promise<readonly OnlineCriterion[]> {
      const { rows } = await pool.query<OnlineRow>(onlineStatement, [unit])
      return rows.map(onlineOf)
    },
    /** UUID of the last exchange that the monitor has read; null before its first pass. */
    async cursorOf(workspaceId: string): Promise<string | null> {
      const text = 'SELECT last_log_id FROM monitor_cursor WHERE workspace_id = $1'
      const { rows } = await pool.query<{ last_log_id: string }>(text, [workspaceId])
      return rows[0]?.last_log_id ?? null
    },
    /** Deletes the cursors of all other workspaces: traffic that arrives while monitoring is off is not judged later. */
    async deleteOtherCursors(unit: Unit, workspaceIds: readonly string[]): Promise<void> {
      if (unit === 'trace')
        await pool.query('DELETE FROM run_cursor WHERE workspace_id <> ALL($1::uuid[])', [workspaceIds])
      else await pool.query('DELETE FROM monitor_cursor WHERE workspace_id <> ALL($1::uuid[])', [workspaceIds])
    },
    async moveCursor(workspaceId: string, lastLogId: string, at: Date): Promise<void> {
      await pool.query(moveStatement, [workspaceId, lastLogId, at])
    },
    /** The last run that the monitor has read; null before its first pass. */
    async runCursorOf(workspaceId: string): Promise<RunPlace | null> {
      const text = 'SELECT last_at, trace_id FROM run_cursor WHERE workspace_id = $1'
      const { rows } = await pool.query<Pick<Row<'runCursor'>, 'last_at' | 'trace_id'>>(text, [workspaceId])
      const [row] = rows
      return row === undefined ? null : { lastAt: row.last_at, traceId: row.trace_id }
    },
    async moveRunCursor(workspaceId: string, { lastAt, traceId }: RunPlace, at: Date): Promise<void> {
      await pool.query(moveRunStatement, [workspaceId, lastAt, traceId, at])
    },
    /** Runs `work` unless another process runs it for this unit; false if it does. */
    runExclusively: (unit: Unit, work: () => Promise<void>) => runExclusively(pool, monitorLocks[unit], work),
  }
}

const onlineStatement = `
  SELECT c.id, c.workspace_id, c.created_by, c.instrument, c.population, c.population_family, c.online_percent,
    c.online_cap_nano, CASE WHEN c.forgotten_week = date_trunc('week', now(), 'UTC') THEN c.forgotten_nano ELSE 0 END +
      (SELECT coalesce(sum(j.cost_nano), 0) FROM judgement j WHERE j.criterion_id = c.id
      AND j.state = 'done' AND j.source IN ${weeklySources} AND j.judged_at >= date_trunc('week', now(), 'UTC'))
      AS spent_nano
  FROM criterion c WHERE c.online_enabled AND c.status = 'draft' AND c.unit = $1 AND c.online_percent > 0
  ORDER BY c.workspace_id, c.id`

const moveStatement = `
  INSERT INTO monitor_cursor (workspace_id, last_log_id, moved_at) VALUES ($1, $2, $3)
  ON CONFLICT (workspace_id) DO UPDATE SET last_log_id = EXCLUDED.last_log_id, moved_at = EXCLUDED.moved_at`

const moveRunStatement = `
  INSERT INTO run_cursor (workspace_id, last_at, trace_id, moved_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (workspace_id) DO UPDATE SET last_at = EXCLUDED.last_at, trace_id = EXCLUDED.trace_id,
    moved_at = EXCLUDED.moved_at`

function onlineOf(row: OnlineRow): OnlineCriterion {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    createdBy: row.created_by,
    instrument: row.instrument,
    population: row.population,
    populationFamily: row.population_family,
    onlinePercent: row.online_percent,
    capNano: BigInt(row.online_cap_nano),
    spentNano: BigInt(row.spent_nano),
  }
}

async function runExclusively(pool: Pool, lock: number, work: () => Promise<void>): Promise<boolean> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [lock])
    if (rows[0]?.locked !== true) return false
    try {
      await work()
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [lock])
    }
    return true
  } finally {
    client.release()
  }
}

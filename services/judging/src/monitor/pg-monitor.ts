import type { Pool } from '@ratchet/db/connect-pool'
import { weeklySources } from '../runs/weekly-sources.ts'
import type { MonitorStore } from './monitor-store.ts'
import type { OnlineCriterion } from './online-criterion.ts'

interface OnlineRow {
  readonly id: string
  readonly workspace_id: string
  readonly created_by: string
  readonly instrument: number
  readonly population: string
  readonly population_family: string
  readonly online_percent: number
  readonly online_cap_nano: string
  readonly spent_nano: string
}

/** One of all workers monitors at a time. */
const monitorLock = 7_302_001

export function createPgMonitor(pool: Pool): MonitorStore {
  return {
    async onlineCriteria() {
      const { rows } = await pool.query<OnlineRow>(onlineStatement)
      return rows.map(onlineOf)
    },
    async cursorOf(workspaceId) {
      const text = 'SELECT last_log_id FROM monitor_cursor WHERE workspace_id = $1'
      const { rows } = await pool.query<{ last_log_id: string }>(text, [workspaceId])
      return rows[0]?.last_log_id ?? null
    },
    async keepCursors(workspaceIds) {
      await pool.query('DELETE FROM monitor_cursor WHERE workspace_id <> ALL($1::uuid[])', [workspaceIds])
    },
    async moveCursor(workspaceId, lastLogId, at) {
      await pool.query(moveStatement, [workspaceId, lastLogId, at])
    },
    alone: (work) => alone(pool, work),
  }
}

const onlineStatement = `
  SELECT c.id, c.workspace_id, c.created_by, c.instrument, c.population, c.population_family, c.online_percent,
    c.online_cap_nano, CASE WHEN c.forgotten_week = date_trunc('week', now(), 'UTC') THEN c.forgotten_nano ELSE 0 END +
      (SELECT coalesce(sum(j.cost_nano), 0) FROM judgement j WHERE j.criterion_id = c.id
      AND j.state = 'done' AND j.source IN ${weeklySources} AND j.judged_at >= date_trunc('week', now(), 'UTC'))
      AS spent_nano
  FROM criterion c WHERE c.online_enabled AND c.status = 'draft' AND c.unit = 'request' AND c.online_percent > 0
  ORDER BY c.workspace_id, c.id`

const moveStatement = `
  INSERT INTO monitor_cursor (workspace_id, last_log_id, moved_at) VALUES ($1, $2, $3)
  ON CONFLICT (workspace_id) DO UPDATE SET last_log_id = EXCLUDED.last_log_id, moved_at = EXCLUDED.moved_at`

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

async function alone(pool: Pool, work: () => Promise<void>): Promise<boolean> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [monitorLock])
    if (rows[0]?.mine !== true) return false
    try {
      await work()
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [monitorLock])
    }
    return true
  } finally {
    client.release()
  }
}

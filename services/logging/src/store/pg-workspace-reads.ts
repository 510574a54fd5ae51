import type { Pool } from '@ratchet/db/connect-pool'
import type { LoggingSettings, SegmentTraffic, WorkspaceReads } from '../domain/workspace-reads.ts'
import { createRunStatement } from './run-read.ts'

interface SettingsRow {
  readonly slug: string
  readonly name: string
  readonly logging_enabled: boolean
  readonly retention_days: number
}

interface SegmentRow {
  readonly segment: string
  readonly label: string | null
  readonly exchanges: number
  readonly exact_variants: number
  readonly first_at: Date
  readonly last_at: Date
}

/** Reads about whole workspaces in Postgres. */
export function createPgWorkspaceReads(pool: Pool): WorkspaceReads {
  const run = createRunStatement(pool)
  return {
    async settings(workspaceId) {
      const text = 'SELECT * FROM workspace_logging_settings WHERE workspace_id = $1'
      const [row] = await run<SettingsRow>({ text, values: [workspaceId], isPrepared: true })
      return row === undefined ? null : settingsOf(row)
    },
    async countExchanges({ workspaceId, at }) {
      const text = 'SELECT count(*)::int AS count FROM exchange WHERE workspace_id = $1 AND expires_at > $2'
      try {
        const statement = { text, values: [workspaceId, at], query_timeout: countTimeoutMs }
        const { rows } = await pool.query<{ count: number }>(statement)
        return rows[0]?.count ?? 0
      } catch {
        return null
      }
    },
    async segments({ workspaceId, at }) {
      return (await run<SegmentRow>({ text: segmentStatement, values: [workspaceId, at] })).map(segmentOf)
    },
  }
}

/** A status is no reason to wait. */
const countTimeoutMs = 3_000

const segmentStatement = `
  SELECT t.*, f.label FROM (
    SELECT segment, sum(exchanges)::int AS exchanges, count(*)::int AS exact_variants,
      min(first_at) AS first_at, max(last_at) AS last_at
    FROM (
      SELECT segment, segment_exact, count(*) AS exchanges, min(created_at) AS first_at, max(created_at) AS last_at
      FROM exchange WHERE workspace_id = $1 AND expires_at > $2
      GROUP BY segment, segment_exact
    ) variants GROUP BY segment
  ) t
  LEFT JOIN segment_family f ON f.workspace_id = $1 AND f.id = t.segment
  ORDER BY t.exchanges DESC, t.segment`

function settingsOf({ slug, name, logging_enabled, retention_days }: SettingsRow): LoggingSettings {
  return { slug, name, isLogging: logging_enabled, retentionDays: retention_days }
}

function segmentOf(row: SegmentRow): SegmentTraffic {
  return {
    segment: row.segment,
    label: row.label,
    exchanges: row.exchanges,
    exactVariants: row.exact_variants,
    firstAt: row.first_at,
    lastAt: row.last_at,
  }
}

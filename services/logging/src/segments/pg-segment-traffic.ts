import type { Pool } from '@ratchet/db/connect-pool'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { createRunStatement } from '../exchanges/pg-run-read.ts'
import type { SegmentTraffic, SegmentTrafficReads } from './segment-traffic.ts'

interface SegmentRow {
  readonly segment: string
  readonly label: string | null
  readonly exchanges: number
  readonly exact_variants: number
  readonly first_at: Date
  readonly last_at: Date
  readonly newest_id: string | null
  readonly newest_expires_at: Date
  readonly newest_size_bytes: number
}

/** Reads the traffic of segments from the counter table in Postgres, which triggers maintain. */
export function createPgSegmentTraffic(pool: Pool, places?: FairPlaces): SegmentTrafficReads {
  const runOf = createRunStatement(pool, places)
  return {
    async list({ workspaceId, at, limit, offset }) {
      const run = runOf(workspaceId)
      const [rows, totals] = await Promise.all([
        run<SegmentRow>({ text: segmentsText, values: [workspaceId, at, limit, offset], isPrepared: true }),
        run<{ total: number }>({ text: totalText, values: [workspaceId], isPrepared: true }),
      ])
      return { data: rows.map(segmentOf), total: totals[0]?.total ?? 0 }
    },
    async totals({ workspaceId }) {
      const text =
        'SELECT coalesce(sum(exchanges), 0)::float8 AS exchanges, min(first_at) FILTER (WHERE exchanges > 0) AS first_at FROM segment_traffic WHERE workspace_id = $1'
      try {
        const statement = { text, values: [workspaceId], query_timeout: countTimeoutMs }
        const { rows } = await pool.query<{ exchanges: number; first_at: Date | null }>(statement)
        return { exchanges: rows[0]?.exchanges ?? 0, firstAt: rows[0]?.first_at ?? null }
      } catch {
        return null
      }
    },
  }
}

/** The count is only for a status, which must not wait long. */
const countTimeoutMs = 3_000

const totalText = 'SELECT count(*)::int AS total FROM segment_traffic WHERE workspace_id = $1'

const segmentsText = `
  SELECT t.segment, nullif(f.label, '') AS label, t.exchanges::float8 AS exchanges, t.exact_variants::float8 AS exact_variants, t.first_at, t.last_at,
    newest.id AS newest_id, newest.expires_at AS newest_expires_at, newest.size_bytes AS newest_size_bytes
  FROM (
    SELECT * FROM segment_traffic WHERE workspace_id = $1 ORDER BY exchanges DESC, segment LIMIT $3 OFFSET $4
  ) t
  LEFT JOIN segment_family f ON f.workspace_id = t.workspace_id AND f.id = t.segment
  LEFT JOIN LATERAL (
    SELECT e.id, e.expires_at, e.size_bytes FROM exchange e
    WHERE e.workspace_id = t.workspace_id AND e.segment = t.segment AND e.created_at = t.last_at
      AND e.expires_on = t.last_on AND e.expires_at > $2
    ORDER BY e.created_at DESC, e.id DESC LIMIT 1
  ) newest ON true
  ORDER BY t.exchanges DESC, t.segment`

function segmentOf(row: SegmentRow): SegmentTraffic {
  return {
    segment: row.segment,
    label: row.label,
    exchanges: row.exchanges,
    exactVariants: row.exact_variants,
    firstAt: row.first_at,
    lastAt: row.last_at,
    newest:
      row.newest_id === null
        ? null
        : {
            id: row.newest_id,
            createdAt: row.last_at,
            expiresAt: row.newest_expires_at,
            sizeBytes: row.newest_size_bytes,
          },
  }
}

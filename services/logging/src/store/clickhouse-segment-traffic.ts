import type { SegmentTraffic, SegmentTrafficReads } from '../segments/segment-traffic.ts'
import type { ClickHouse } from './clickhouse-client.ts'
import { inScope, scopeParameters } from './clickhouse-conditions.ts'
import type { StoreUpkeep } from './store-upkeep.ts'

interface SegmentRow {
  readonly segment: string
  readonly exchanges: string
  readonly variants: string
  readonly first_ms: string
  readonly last_ms: string
  readonly newest: readonly [id: string, expiresMs: string, sizeBytes: number]
}

/** Counts the traffic of segments in ClickHouse. Their labels are in Postgres. */
export function createClickHouseSegmentTraffic(
  clickHouse: ClickHouse,
  { labels }: Pick<StoreUpkeep, 'labels'>,
): SegmentTrafficReads {
  return {
    async list({ workspaceId, at, limit, offset }) {
      const scope = scopeParameters({ workspaceId, at })
      const [rows, totals] = await Promise.all([
        clickHouse.read<SegmentRow>(segmentsText, { ...scope, limit, offset }),
        clickHouse.read<{ total: string }>(totalText, scope),
      ])
      const labelOf =
        rows.length === 0
          ? new Map()
          : await labels(
              workspaceId,
              rows.map(({ segment }) => segment),
            )
      const data = rows.map((row) => segmentOf(row, labelOf.get(row.segment) ?? null))
      return { data, total: Number(totals[0]?.total ?? 0) }
    },
    async totals(scope) {
      try {
        const text = `SELECT count() AS total, -max(newest_first) AS first_ms FROM exchange WHERE ${inScope}`
        const [row] = await clickHouse.read<{ total: string; first_ms: string }>(text, scopeParameters(scope))
        const exchanges = Number(row?.total ?? 0)
        return { exchanges, firstAt: row === undefined || exchanges === 0 ? null : new Date(Number(row.first_ms)) }
      } catch {
        return null
      }
    },
  }
}

const totalText = `SELECT uniqExact(segment) AS total FROM exchange WHERE ${inScope}`

const segmentsText = `
  SELECT segment, count() AS exchanges, uniqExact(segment_exact) AS variants, -max(newest_first) AS first_ms,
    -min(newest_first) AS last_ms, argMax(tuple(id, expires_ms, size_bytes), tuple(-newest_first, id)) AS newest
  FROM exchange WHERE ${inScope} GROUP BY segment
  ORDER BY exchanges DESC, segment LIMIT {limit:UInt32} OFFSET {offset:UInt32}`

function segmentOf(row: SegmentRow, label: string | null): SegmentTraffic {
  const [id, expiresMs, sizeBytes] = row.newest
  const lastAt = new Date(Number(row.last_ms))
  return {
    segment: row.segment,
    label,
    exchanges: Number(row.exchanges),
    exactVariants: Number(row.variants),
    firstAt: new Date(Number(row.first_ms)),
    lastAt,
    newest: { id, createdAt: lastAt, expiresAt: new Date(Number(expiresMs)), sizeBytes },
  }
}

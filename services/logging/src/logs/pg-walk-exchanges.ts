import type { Place } from '../exchanges/exchange-reads.ts'
import { createBindings, factsOf, timesOf } from '../exchanges/pg-exchange-conditions.ts'
import type { RunStatement } from '../exchanges/pg-run-read.ts'
import type { Finding, SearchKeys } from './pg-search-keys.ts'

/** A matching exchange, with the keys that find its row again. */
export interface FoundExchange extends Place {
  readonly traceId: string | null
  /** Its day of expiry. */
  readonly day: string
}

export interface Walk extends Finding {
  readonly keys: SearchKeys
  /** So many matches are enough. */
  readonly maxMatches: number
  /** The range of matches to return; the others are only counted. */
  readonly from: number
  readonly to: number
  /** Rows to read at most. */
  readonly rows: number
  /** Only exchanges that expire on this day. */
  readonly day?: string
  /** Read in the order of costs, beginning with the minimum cost of the filter. */
  readonly isByCost?: boolean
}

export interface Walked {
  /** The matches from `from` to `to`. */
  readonly found: readonly FoundExchange[]
  readonly matches: number
  /** True when enough matches were found, or all rows were read. */
  readonly isWhole: boolean
}

type Row = FoundExchange & { readonly walked: number | null; readonly matches: number }

/** Checks row by row, from the newest on, whether it matches. This is fastest when many rows match. */
export async function walkExchanges(run: RunStatement, walk: Walk): Promise<Walked> {
  const bindings = createBindings()
  const { bind, values } = bindings
  const within = [`e.workspace_id = ${bind(walk.workspaceId)}`, timesOf(walk, bindings)]
  if (walk.day !== undefined) within.push(`e.expires_on = ${bind(walk.day)}::date`)
  if (walk.isByCost) within.push(`e.cost_nano >= ${bind(walk.filter.minCostNano?.toString())}`)
  const order = walk.isByCost ? 'e.cost_nano' : 'e.created_at DESC, e.id DESC'
  const facts = [...factsOf(walk, bindings)]
  if (walk.keys.words !== null) facts.push(`e.words @> ${bind(walk.keys.words)}::bigint[]`)
  if (walk.isStep) facts.push('e.trace_id IS NOT NULL')
  const text = `
    WITH walked AS MATERIALIZED (
      SELECT e.created_at, e.id, e.trace_id, e.expires_on, ${facts.join(' AND ')} AS is_match FROM (
        SELECT * FROM exchange e WHERE ${within.join(' AND ')}
        ORDER BY ${order} LIMIT ${bind(walk.rows)}
      ) e
    )
    (SELECT created_at AS "createdAt", id, trace_id AS "traceId", expires_on::text AS day, NULL::int AS walked, NULL::int AS matches
     FROM walked WHERE is_match ORDER BY created_at DESC, id DESC LIMIT ${bind(walk.to - walk.from)} OFFSET ${bind(walk.from)})
    UNION ALL SELECT NULL, NULL, NULL, NULL, count(*)::int, (count(*) FILTER (WHERE is_match))::int FROM walked`
  const rows = await run<Row>({ text, values, isPrepared: true })
  const found = rows.filter(({ walked }) => walked === null)
  const { walked, matches } = rows.find((row) => row.walked !== null) ?? { walked: 0, matches: 0 }
  const isEnough = matches >= walk.maxMatches && walk.isByCost !== true
  return { found, matches, isWhole: isEnough || (walked ?? 0) < walk.rows }
}

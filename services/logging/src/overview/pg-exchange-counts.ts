import type { Pool } from '@ratchet/db/connect-pool'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { isListed } from '../exchanges/exchange-reads.ts'
import { conditionsOf, createBindings } from '../exchanges/pg-exchange-conditions.ts'
import { createRunStatement, type RunStatement } from '../exchanges/pg-run-read.ts'
import { searchExchanges } from '../logs/pg-search-exchanges.ts'
import { countsOf } from './count-buckets.ts'
import { type CountRequest, type ExchangeCounts, maxCounted } from './exchange-counts.ts'

interface BucketRow {
  readonly bucket: number
  readonly matches: number
  readonly oldest: Date
}

/** Counts exchanges in Postgres. */
export function createPgExchangeCounts(pool: Pool, places?: FairPlaces): ExchangeCounts {
  const runOf = createRunStatement(pool, places)
  return {
    byTime: (request) =>
      isListed(request.filter)
        ? countListed(runOf(request.workspaceId), request)
        : countFound(runOf(request.workspaceId), request),
  }
}

/** Reads the index of all rows only. */
async function countListed(run: RunStatement, { buckets, ...requested }: CountRequest) {
  const bindings = createBindings()
  const some = `
    SELECT e.created_at FROM exchange e WHERE ${conditionsOf(requested, bindings)}
    ORDER BY e.created_at DESC, e.id DESC LIMIT ${bindings.bind(maxCounted.listed)}`
  const text = `
    SELECT floor((extract(epoch FROM created_at) * 1000 - ${bindings.bind(buckets.startMs)}::float8) / ${bindings.bind(buckets.bucketMs)}::float8)::int AS bucket,
      count(*)::int AS matches, min(created_at) AS oldest
    FROM (${some}) found GROUP BY 1`
  const rows = await run<BucketRow>({ text, values: bindings.values, isPrepared: true })
  const total = rows.reduce((sum, { matches }) => sum + matches, 0)
  const oldestMs = Math.min(...rows.map(({ oldest }) => oldest.getTime()))
  const found = new Map(rows.map(({ bucket, matches }) => [bucket, matches]))
  return countsOf(buckets, found, total < maxCounted.listed ? null : oldestMs)
}

async function countFound(run: RunStatement, { buckets, ...requested }: CountRequest) {
  const most = maxCounted.searched
  const { requested: matches } = await searchExchanges(run, { ...requested, from: 0, to: most, maxMatches: most })
  const found = new Map<number, number>()
  for (const { createdAt } of matches) {
    const bucket = Math.floor((createdAt.getTime() - buckets.startMs) / buckets.bucketMs)
    found.set(bucket, (found.get(bucket) ?? 0) + 1)
  }
  const oldest = matches.at(-1)
  return countsOf(buckets, found, oldest === undefined || matches.length < most ? null : oldest.createdAt.getTime())
}

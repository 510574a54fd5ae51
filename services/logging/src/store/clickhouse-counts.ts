import { isListed } from '../exchanges/exchange-reads.ts'
import { countsOf } from '../overview/count-buckets.ts'
import { type ExchangeCounts, maxCounted } from '../overview/exchange-counts.ts'
import type { ClickHouse } from './clickhouse-client.ts'
import { conditionsOf, inScope } from './clickhouse-conditions.ts'

interface BucketRow {
  readonly bucket: string
  readonly matches: string
  readonly first_counted: string
}

/** Counts exchanges in ClickHouse. */
export function createClickHouseCounts(clickHouse: ClickHouse): ExchangeCounts {
  return {
    async byTime({ buckets, ...requested }) {
      const { text, parameters, isImpossible } = conditionsOf(requested)
      if (isImpossible) return countsOf(buckets, new Map(), null)
      const most = isListed(requested.filter) ? maxCounted.listed : maxCounted.searched
      const rows = await clickHouse.read<BucketRow>(
        `SELECT toInt64(floor((-newest_first - {first:Int64}) / {width:Float64})) AS bucket, count() AS matches,
           max(newest_first) AS first_counted
         FROM (
           SELECT newest_first FROM exchange WHERE ${inScope} AND ${text} ORDER BY newest_first LIMIT {most:UInt32}
         ) GROUP BY bucket`,
        { ...parameters, first: buckets.startMs, width: buckets.bucketMs, most },
      )
      const total = rows.reduce((sum, { matches }) => sum + Number(matches), 0)
      const oldestMs = Math.min(...rows.map((row) => -Number(row.first_counted)))
      const found = new Map(rows.map(({ bucket, matches }) => [Number(bucket), Number(matches)]))
      return countsOf(buckets, found, total < most ? null : oldestMs)
    },
  }
}

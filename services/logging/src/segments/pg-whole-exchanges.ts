import type { PoolClient } from '@ratchet/db/connect-pool'
import type { WholeExchange } from '../exchanges/logged-exchange.ts'
import type { UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import type { SegmentFamilies } from './pg-segment-families.ts'

/** Finds the segments of exchanges in a transaction. */
export async function wholeExchanges(
  client: PoolClient,
  families: SegmentFamilies,
  exchanges: readonly UnsegmentedExchange[],
): Promise<readonly WholeExchange[]> {
  const segments = await families.assign(client, exchanges)
  return exchanges.map(({ systemPrompt: _, ...exchange }, index) => {
    const { segment, segmentExact } = segments[index] ?? { segment: 'none', segmentExact: 'none' }
    return { ...exchange, segment, segmentExact, blockId: null }
  })
}

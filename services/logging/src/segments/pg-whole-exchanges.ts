import type { PoolClient } from '@ratchet/db/connect-pool'
import type { WholeExchange } from '../exchanges/logged-exchange.ts'
import type { UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import type { PreparedPrompt, SegmentFamilies } from './pg-segment-families.ts'

/** Exchanges whose prompts were read. */
export interface PreparedExchanges {
  readonly exchanges: readonly UnsegmentedExchange[]
  /** Of each exchange. */
  readonly prompts: readonly PreparedPrompt[]
}

/** Reads the prompts of exchanges. To be called before the transaction, because it may take long. */
export async function prepareExchanges(
  families: SegmentFamilies,
  exchanges: readonly UnsegmentedExchange[],
): Promise<PreparedExchanges> {
  return { exchanges, prompts: await families.prepare(exchanges) }
}

/** Finds the segments of exchanges in a transaction. */
export async function wholeExchanges(
  client: PoolClient,
  families: SegmentFamilies,
  { exchanges, prompts }: PreparedExchanges,
): Promise<readonly WholeExchange[]> {
  const segments = await families.assign(client, prompts)
  return exchanges.map(({ systemPrompt: _, ...exchange }, index) => {
    const { segment, segmentExact } = segments[index] ?? { segment: 'none', segmentExact: 'none' }
    return { ...exchange, segment, segmentExact, blockId: null }
  })
}

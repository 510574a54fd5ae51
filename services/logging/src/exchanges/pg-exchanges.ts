import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { createSegmentFamilies } from '../segments/pg-segment-families.ts'
import { type PreparedExchanges, prepareExchanges, wholeExchanges } from '../segments/pg-whole-exchanges.ts'
import type { SkeletonReader } from '../segments/skeleton-reader.ts'
import { type ExchangeLog, UnstorableExchange } from './exchange-log.ts'
import { expiryDay } from './expiry-day.ts'
import { storeWithContent } from './pg-exchange-blocks.ts'
import { createPartitions } from './pg-partitions.ts'

export interface PgExchangesOptions {
  readonly pool: Pool
  /** Makes ids of blocks; null to store each content in its own row. */
  readonly newBlockId: (() => string) | null
  readonly skeletons: SkeletonReader
}

/** The log in Postgres. Writes of one process run one after another, because they share the families in memory. */
export function createPgExchanges({ pool, newBlockId, skeletons }: PgExchangesOptions): ExchangeLog {
  const partitions = createPartitions(pool)
  const families = createSegmentFamilies(skeletons)
  let last: Promise<unknown> = Promise.resolve()
  const write = async (prepared: PreparedExchanges) => {
    try {
      await partitions.ensure(prepared.exchanges.map(({ expiresAt }) => expiryDay(expiresAt)))
      return await inTransaction(pool, async (client) =>
        storeWithContent(client, await wholeExchanges(client, families, prepared), newBlockId),
      )
    } catch (error) {
      partitions.reset()
      families.reset()
      throw isRefusal(error) ? new UnstorableExchange('the database refuses an exchange', { cause: error }) : error
    }
  }
  return {
    async write(exchanges) {
      // Those whose prompts are read do not wait for others.
      const prepared = await prepareExchanges(families, exchanges)
      const written = last.then(() => write(prepared))
      last = written.catch(() => undefined)
      return written
    },
  }
}

/**
 * SQLSTATE classes 22, 23 and 54 mean that the values of a row are at fault. A missing partition does not. A RangeError
 * is a number that no column can have.
 */
function isRefusal(error: unknown): boolean {
  if (error instanceof RangeError) return true
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  return /^(22|23|54)...$/.test(code) && code !== noPartition
}

/** Postgres reports a row without a partition as a violated check. */
const noPartition = '23514'

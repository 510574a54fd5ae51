import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { type ExchangeLog, UnstorableExchange } from '../domain/exchange-log.ts'
import type { UnsegmentedExchange } from '../domain/raw-exchange.ts'
import { insertExchanges } from './exchange-statements.ts'
import { createPartitions, expiryDay } from './partitions.ts'
import { createSegmentFamilies, type SegmentFamilies } from './segment-families.ts'

export interface PgExchangesOptions {
  readonly pool: Pool
}

/** The log in Postgres. Writes of one process follow one another: they share what is known of families. */
export function createPgExchanges({ pool }: PgExchangesOptions): ExchangeLog {
  const partitions = createPartitions(pool)
  const families = createSegmentFamilies()
  let last: Promise<unknown> = Promise.resolve()
  const write = async (exchanges: readonly UnsegmentedExchange[]) => {
    try {
      await partitions.ensure(exchanges.map(({ expiresAt }) => expiryDay(expiresAt)))
      return await inTransaction(pool, (client) => store(client, families, exchanges))
    } catch (error) {
      partitions.forget()
      families.forget()
      throw isRefusal(error) ? new UnstorableExchange('the database refuses an exchange', { cause: error }) : error
    }
  }
  return {
    write(exchanges) {
      const written = last.then(() => write(exchanges))
      last = written.catch(() => undefined)
      return written
    },
  }
}

async function store(
  client: PoolClient,
  families: SegmentFamilies,
  exchanges: readonly UnsegmentedExchange[],
): Promise<number> {
  const segments = await families.assign(client, exchanges)
  const whole = exchanges.map(({ systemPrompt: _, ...exchange }, index) => {
    const { segment, segmentExact } = segments[index] ?? { segment: 'none', segmentExact: 'none' }
    return { ...exchange, segment, segmentExact }
  })
  const { rowCount } = await client.query(insertExchanges(whole))
  return rowCount ?? 0
}

/** A connection on which anything failed is closed: what it would do next is not known. */
async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    client.release(failure)
  }
}

/** Postgres's classes of errors that come from what a row holds: data, integrity, limits. Without a partition it is time. */
function isRefusal(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  return /^(22|23|54)...$/.test(code) && code !== noPartition
}

/** A row for which there is no partition counts as a violated check. */
const noPartition = '23514'

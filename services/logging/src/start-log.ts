import type { Pool } from '@ratchet/db/connect-pool'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { ExchangeLog } from './exchanges/exchange-log.ts'
import { createPgExchangeRetention } from './retention/pg-exchange-retention.ts'
import { sweepBoth } from './retention/sweep-both.ts'
import type { SkeletonReader } from './segments/skeleton-reader.ts'
import { connectClickHouse } from './store/clickhouse-client.ts'
import { createClickHouseExchangeStore } from './store/clickhouse-exchange-store.ts'
import type { ExchangeStore } from './store/exchange-store.ts'
import { createPgExchangeStore } from './store/pg-exchange-store.ts'
import { createPgStoreUpkeep } from './store/pg-store-upkeep.ts'
import { mergeDuplicates } from './traces/otlp/merge-duplicates.ts'

/** The settings of every process that stores exchanges. */
export const logConfig = {
  /**
   * Whether contents are stored in compressed blocks, which processes of the release before cannot read. Turn it on when
   * none of them runs, and none will after a rollback.
   */
  CONTENT_BLOCKS: z.stringbool().default(false),
  /** ClickHouse with user, password and database, in place of Postgres. */
  LOG_STORE_URL: z.url({ protocol: /^https?$/ }).optional(),
}

export interface StoreOptions {
  readonly writes: Pool
  /** Serves nothing else, because reads may take long; the pool for writing in a process that does not read. */
  readonly reads: Pool
  /** Places of `reads`, or of reads in ClickHouse, by workspace; absent: without limits. */
  readonly places?: FairPlaces | undefined
  readonly sweeps: Pool
  readonly skeletons: SkeletonReader
  readonly newId: () => string
  readonly now: () => Date
  readonly onStop: Lifecycle['onStop']
}

interface StoreConfig {
  readonly CONTENT_BLOCKS: boolean
  readonly LOG_STORE_URL?: string | undefined
}

/** Connects the store of exchanges. */
export function connectStore(
  { CONTENT_BLOCKS: hasBlocks, LOG_STORE_URL: url }: StoreConfig,
  { newId, now, onStop, ...pools }: StoreOptions,
): ExchangeStore {
  if (url === undefined) return createPgExchangeStore({ ...pools, newBlockId: hasBlocks ? newId : null })
  const clickHouse = connectClickHouse(url)
  onStop(() => clickHouse.close())
  const store = createClickHouseExchangeStore({
    clickHouse,
    upkeep: createPgStoreUpkeep(pools),
    now,
    places: pools.places,
  })
  // Exchanges that were stored before the setting still expire.
  return { ...store, retention: sweepBoth(store.retention, createPgExchangeRetention(pools.sweeps)) }
}

/** The log for writing. An exchange that the gateway logged and a span describes gets one row. */
export function mergingLog({ log, described }: ExchangeStore, logger: Pick<Logger, 'warn'>): ExchangeLog {
  return mergeDuplicates({
    log,
    merge: described.merge,
    onFailure: (error) =>
      logger.warn(
        { event: 'duplicates_not_merged', err: error },
        'merging duplicate spans failed: an exchange may be logged twice',
      ),
  })
}

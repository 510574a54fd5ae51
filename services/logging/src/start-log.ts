import type { Pool } from '@ratchet/db/connect-pool'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { ExchangeLog } from './exchanges/exchange-log.ts'
import type { ExchangeStore } from './store/exchange-store.ts'
import { createPgExchangeStore } from './store/pg-exchange-store.ts'
import { mergeDuplicates } from './traces/otlp/merge-duplicates.ts'

/** The setting of every process that stores exchanges. */
export const logConfig = {
  /**
   * Whether contents are stored in compressed blocks, which processes of the release before cannot read. Turn it on when
   * none of them runs, and none will after a rollback.
   */
  CONTENT_BLOCKS: z.stringbool().default(false),
}

export interface StoreOptions {
  readonly writes: Pool
  /** Serves nothing else, because reads may take long; the pool for writing in a process that does not read. */
  readonly reads: Pool
  readonly sweeps: Pool
  readonly hasBlocks: boolean
  readonly newId: () => string
}

/** Connects the store of exchanges. */
export function connectStore({ hasBlocks, newId, ...pools }: StoreOptions): ExchangeStore {
  return createPgExchangeStore({ ...pools, newBlockId: hasBlocks ? newId : null })
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

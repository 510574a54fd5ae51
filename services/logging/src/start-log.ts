import type { Pool } from '@ratchet/db/connect-pool'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { ExchangeLog } from './exchanges/exchange-log.ts'
import { createPgExchanges } from './exchanges/pg-exchanges.ts'
import { mergeDuplicates } from './traces/otlp/merge-duplicates.ts'
import { createPgDuplicates } from './traces/otlp/pg-duplicates.ts'

/** The setting of every process that stores exchanges. */
export const logConfig = {
  /**
   * Whether contents are stored in compressed blocks, which processes of the release before cannot read. Turn it on when
   * none of them runs, and none will after a rollback.
   */
  CONTENT_BLOCKS: z.stringbool().default(false),
}

export interface LogOptions {
  readonly pool: Pool
  readonly logger: Pick<Logger, 'warn'>
  readonly hasBlocks: boolean
  readonly newId: () => string
}

/** Connects the log for writing. An exchange that the gateway logged and a span describes gets one row. */
export function connectLog({ pool, logger, hasBlocks, newId }: LogOptions): ExchangeLog {
  return mergeDuplicates({
    log: createPgExchanges({ pool, newBlockId: hasBlocks ? newId : null }),
    merge: createPgDuplicates(pool).merge,
    onFailure: (error) =>
      logger.warn(
        { event: 'duplicates_not_merged', err: error },
        'merging duplicate spans failed: an exchange may be logged twice',
      ),
  })
}

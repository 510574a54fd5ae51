import type { Pool } from '@ratchet/db/connect-pool'
import type { Logger } from 'pino'
import type { ExchangeLog } from './exchanges/exchange-log.ts'
import { createPgExchanges } from './exchanges/pg-exchanges.ts'
import { mergeDuplicates } from './traces/otlp/merge-duplicates.ts'
import { createPgDuplicates } from './traces/otlp/pg-duplicates.ts'

/** Connects the log for writing. An exchange that the gateway logged and a span describes gets one row. */
export function connectLog(pool: Pool, logger: Pick<Logger, 'warn'>): ExchangeLog {
  return mergeDuplicates({
    log: createPgExchanges({ pool }),
    merge: createPgDuplicates(pool).merge,
    onFailure: (error) =>
      logger.warn(
        { event: 'duplicates_not_merged', err: error },
        'merging duplicate spans failed: an exchange may be logged twice',
      ),
  })
}

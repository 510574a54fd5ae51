import type { Pool } from '@ratchet/db/connect-pool'
import type { Logger } from 'pino'
import type { ExchangeLog } from './domain/exchange-log.ts'
import { mergeDuplicates } from './otlp/merge-duplicates.ts'
import { createPgDuplicates } from './store/pg-duplicates.ts'
import { createPgExchanges } from './store/pg-exchanges.ts'

/** The log as every process writes to it: each exchange has one row, also when a span tells of it too. */
export function connectLog(pool: Pool, logger: Pick<Logger, 'warn'>): ExchangeLog {
  return mergeDuplicates({
    log: createPgExchanges({ pool }),
    store: createPgDuplicates(pool),
    onFailure: (error) => logger.warn({ event: 'twins_not_merged', err: error }, 'an exchange may be logged twice'),
  })
}

import type { Pool } from '@ratchet/db/connect-pool'
import type { Logger } from 'pino'
import type { ExchangeLog } from './domain/exchange-log.ts'
import { mergeTwins } from './otlp/merge-twins.ts'
import { createPgExchanges } from './store/pg-exchanges.ts'
import { createPgTwins } from './store/pg-twins.ts'

/** The log as every process writes to it: each exchange has one row, also when a span tells of it too. */
export function connectLog(pool: Pool, logger: Pick<Logger, 'warn'>): ExchangeLog {
  return mergeTwins({
    log: createPgExchanges({ pool }),
    store: createPgTwins(pool),
    onFailure: (error) => logger.warn({ event: 'twins_not_merged', err: error }, 'an exchange may be logged twice'),
  })
}

import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool, workerTimeouts } from '@ratchet/db/connect-process-pool'
import { mainLedger } from '@ratchet/db/ledger-urls'
import { createRedis } from '@ratchet/service-kit/process/create-redis'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { startErasures } from '@ratchet/work-kit/erasure/start-erasures'
import type { Logger } from 'pino'
import type { InferenceConfig } from './config.ts'
import { inferenceRooms } from './erasure/pg-erasure-rooms.ts'
import { cacheStep } from './erasure/redis-cache-step.ts'
import { createPgWorkspaceLedgers } from './ledger/pg-workspace-ledgers.ts'

export interface ErasureContext {
  readonly config: Pick<
    InferenceConfig,
    'DATABASE_URL' | 'DATABASE_SILENCE_MS' | 'LEDGER_DATABASE_URLS' | 'REDIS_URL' | 'CACHE_REDIS_URL'
  >
  /** Of the process. */
  readonly pool: Pool
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

/** Erases what inference has of a person. Connections of its own, so that no request waits behind it. */
export function startPersonErasures({ config, pool, logger, lifecycle }: ErasureContext): void {
  const { DATABASE_URL: databaseUrl, REDIS_URL, CACHE_REDIS_URL = REDIS_URL } = config
  const onError = (error: Error) => logger.debug({ err: error }, 'Redis is unavailable')
  const redis = createRedis({ url: CACHE_REDIS_URL, commandTimeoutMs: 5_000, onStop: lifecycle.onStop, onError })
  const options = { role: 'ratchet_inference', max: 1, ...workerTimeouts } as const
  const others = [...config.LEDGER_DATABASE_URLS].map(
    ([name, url]) => [name, connectProcessPool({ databaseUrl: url, ...options }, { ...lifecycle, logger })] as const,
  )
  startErasures({ service: 'inference', pool, databaseUrl, lifecycle, logger }, (erasing) => {
    const workspaces = createPgWorkspaceLedgers({ pool: erasing, silenceMs: config.DATABASE_SILENCE_MS })
    const ledgers = new Map([[mainLedger, erasing] as const, ...others])
    const ledgerOf = async (workspaceId: string) => {
      const ledger = ledgers.get(await workspaces.of(workspaceId))
      if (ledger === undefined) throw new Error('the ledger of the workspace is not connected')
      return ledger
    }
    return inferenceRooms({ pool: erasing, ledgerOf, cacheStep: cacheStep(redis) })
  })
}

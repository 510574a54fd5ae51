import type { Pool } from '@ratchet/db/connect-pool'
import type { HttpAppOptions } from '@ratchet/service-kit/http/http-app'
import { serveService } from '@ratchet/service-kit/process/serve-service'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import type { Express } from 'express'
import { type WorkReading, watchWork } from '../progress/watch-work.ts'
import { createProcessParts, type ProcessContext, type ProcessDefinition } from './start-process-parts.ts'

export interface ApiDefinition extends ProcessDefinition {
  /** Counts the work items of the service's workers, for metrics. */
  readonly readWork?: (pool: Pool) => Promise<readonly WorkReading[]>
  /** See `ServeOptions.isPublic`. */
  readonly isPublic?: boolean
}

/** What every app receives. */
export interface AppParts extends Pick<HttpAppOptions, 'logger' | 'metrics' | 'health' | 'serveMetrics'> {
  readonly now: () => Date
  readonly newId: () => string
}

/** Starts an API process: pool, app, listeners. Resolves with the port it is bound to. */
export async function startApi(
  { readWork, isPublic = false, ...definition }: ApiDefinition,
  context: ProcessContext,
  createApp: (parts: AppParts, pool: Pool) => Express | Promise<Express>,
): Promise<number> {
  const { config, logger, lifecycle } = context
  const { now, metrics, pool, health } = createProcessParts(definition, context)
  const serveMetrics = config.ADMIN_PORT === undefined
  const newId = () => uuidV7(now().getTime())
  const app = await createApp({ logger, metrics, health, serveMetrics, now, newId }, pool)
  if (readWork !== undefined) {
    watchWork({ metrics, read: () => readWork(pool), now, onStop: lifecycle.onStop, logger })
  }
  return serveService(config, { app, health, metrics, lifecycle, logger, isPublic })
}

import type { RequestListener } from 'node:http'
import { createChangeLog } from '@ratchet/db/change-log'
import type { Pool } from '@ratchet/db/connect-pool'
import type { HttpAppOptions } from '@ratchet/service-kit/http/http-app'
import type { ChangeRecording } from '@ratchet/service-kit/http/record-change'
import type { HttpListener, SideListener, Upgrades } from '@ratchet/service-kit/http/serve-http'
import { serveService } from '@ratchet/service-kit/process/serve-service'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { type WorkReading, watchWork } from '../progress/watch-work.ts'
import { createProcessParts, type ProcessContext, type ProcessDefinition } from './start-process-parts.ts'

export interface ApiDefinition extends ProcessDefinition {
  /** Counts the work items of the service's workers, for metrics. */
  readonly readWork?: (pool: Pool) => Promise<readonly WorkReading[]>
  /** Whether clients outside the fleet connect: its port never serves metrics. See `ServeOptions.isPublic` too. */
  readonly isPublic?: boolean
}

/** What every app receives. */
export interface AppParts extends Pick<HttpAppOptions, 'logger' | 'metrics' | 'health' | 'serveMetrics'> {
  readonly now: () => Date
  readonly newId: () => string
  readonly changes: ChangeRecording
}

/** What an API process serves. */
export interface ServedApp {
  readonly app: RequestListener
  /** Takes over connections of the app's listener whose requests ask for another protocol. */
  readonly upgrades?: Upgrades | undefined
  /** Further HTTP listeners, which drain and close together with the app's. */
  readonly alsoAt?: readonly HttpListener[] | undefined
  /** Serves requests that do not come over HTTP. */
  readonly beside?: SideListener | undefined
}

/** Starts an API process: pool, app, listeners. Resolves with the port it is bound to. */
export async function startApi(
  { readWork, isPublic = false, ...definition }: ApiDefinition,
  context: ProcessContext,
  createApp: (parts: AppParts, pool: Pool) => RequestListener | Promise<RequestListener | ServedApp>,
): Promise<number> {
  const { config, logger, lifecycle } = context
  const { now, metrics, pool, health } = createProcessParts(definition, context)
  const serveMetrics = !isPublic && config.ADMIN_PORT === undefined
  const newId = () => uuidV7(now().getTime())
  const onLost = (err: unknown, requestId: string) =>
    logger.error({ event: 'change_not_sealed', err, requestId }, 'a change of a workspace is sealed later')
  const changes = { ...createChangeLog(pool), now, newId, onLost }
  const served = await createApp({ logger, metrics, health, serveMetrics, now, newId, changes }, pool)
  if (readWork !== undefined) {
    watchWork({ metrics, read: () => readWork(pool), now, onStop: lifecycle.onStop, logger })
  }
  const apps = typeof served === 'function' ? { app: served } : served
  return serveService(config, { ...apps, health, metrics, lifecycle, logger, isPublic })
}

import type { RequestListener } from 'node:http'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { HealthOptions } from '../http/health.ts'
import { createAdminApp } from '../http/http-app.ts'
import { type HttpListener, type SideListener, serveHttp, type Upgrades } from '../http/serve-http.ts'
import type { Lifecycle } from './run-process.ts'
import { showDrain } from './show-drain.ts'

/** Configuration of the listeners. */
export interface ServeConfig {
  readonly PORT: number
  readonly HOST: string
  readonly ADMIN_PORT?: number | undefined
  readonly INSTANCE_ID?: string | undefined
  readonly DRAIN_DELAY_MS: number
  readonly DRAIN_TIMEOUT_MS: number
}

export interface ServedApp {
  readonly app: RequestListener
  /** See `ServeOptions.upgrades`. */
  readonly upgrades?: Upgrades | undefined
  /** See `ServeOptions.alsoAt`. */
  readonly alsoAt?: readonly HttpListener[] | undefined
  /** See `ServeOptions.beside`. */
  readonly beside?: SideListener | undefined
  readonly health: HealthOptions
  readonly metrics: ProcessMetrics
  readonly lifecycle: Lifecycle
  readonly logger: Pick<Logger, 'warn'>
  /** See `ServeOptions.isPublic`. */
  readonly isPublic?: boolean
}

/** Serves a service's app on `PORT` and, where `ADMIN_PORT` is set, probes and metrics there. Resolves with the app's port. */
export async function serveService(
  config: ServeConfig,
  { app, upgrades, alsoAt, beside, health, metrics, lifecycle, logger, isPublic = false }: ServedApp,
): Promise<number> {
  const common = { host: config.HOST, drain: health.drain, drainTimeoutMs: config.DRAIN_TIMEOUT_MS, lifecycle }
  if (config.ADMIN_PORT !== undefined) {
    // Started first, so that it stops last and answers probes while the app drains.
    const listener = createAdminApp({ health, metrics })
    await serveHttp({ ...common, listener, port: config.ADMIN_PORT, drainDelayMs: 0 })
  }
  showDrain(metrics, { drain: health.drain, timeoutMs: config.DRAIN_TIMEOUT_MS })
  const overran = { event: 'drain_overran', timeoutMs: config.DRAIN_TIMEOUT_MS }
  const onOverrun = () => logger.warn(overran, 'requests were still running and are cut')
  const { PORT: port, DRAIN_DELAY_MS: drainDelayMs } = config
  return serveHttp({ ...common, listener: app, upgrades, port, drainDelayMs, isPublic, alsoAt, beside, onOverrun })
}

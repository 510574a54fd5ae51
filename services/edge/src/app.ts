import type { Brand } from '@ratchet/contracts/brand'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { errorBodyAt } from '@ratchet/contracts/messages'
import type { HealthOptions } from '@ratchet/service-kit/http/health'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express } from 'express'
import type { Logger } from 'pino'
import type { AbuseGuard } from './abuse-guard/abuse-guard.ts'
import { admitRequest } from './admission/admit-request.ts'
import { createEndpointIndex } from './admission/endpoint-index.ts'
import { guardRequest } from './admission/guard-request.ts'
import { openRoutes } from './admission/open-routes.ts'
import { headReader } from './admission/read-head.ts'
import type { EdgeEvents } from './events.ts'
import type { Forwarders } from './forward/create-forwarders.ts'
import type { KeyUseLog } from './keys/key-use.ts'
import type { KeyVerifier } from './keys/key-verifier.ts'

export interface EdgeDeps {
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly events: EdgeEvents
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly brand: Brand
  readonly keys: KeyVerifier
  readonly keyUse: Pick<KeyUseLog, 'note'>
  readonly abuseGuard: AbuseGuard
  readonly endpoints: readonly Endpoint[]
  readonly forwarders: Forwarders
  readonly now: () => Date
  readonly newId: () => string
}

/** The public listener. It reads no body before the caller, the endpoint and its limits are known. */
export function createApp(deps: EdgeDeps): Express {
  const { logger, metrics, health, serveMetrics, newId, events } = deps
  const index = createEndpointIndex(deps.endpoints)
  return createHttpApp({
    logger,
    metrics,
    health,
    serveMetrics,
    requestId: newId,
    routesLabelAnswers: true,
    // The span starts when the caller and the endpoint are known.
    tracesItself: true,
    guard: guardRequest(headReader(deps.brand), index, events),
    errorBody: errorBodyAt,
    routes: (router) => router.use(openRoutes(deps.endpoints, health.drain), admitRequest({ ...deps, index })),
  })
}

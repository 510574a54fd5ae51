import type { Brand } from '@ratchet/contracts/brand'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { errorBodyAt } from '@ratchet/contracts/messages'
import type { Rule } from '@ratchet/contracts/permissions'
import type { HealthOptions } from '@ratchet/service-kit/health'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express } from 'express'
import type { Logger } from 'pino'
import type { AbuseGuard } from './abuse-guard.ts'
import { headReader } from './domain/read-head.ts'
import { createEndpointIndex } from './endpoint-index.ts'
import type { EdgeEvents } from './events.ts'
import type { Forwarder } from './forward/forwarder.ts'
import type { KeyUseLog } from './keys/key-use.ts'
import type { KeyVerifier } from './keys/key-verifier.ts'
import { door } from './middleware/door.ts'
import { guardRequest } from './middleware/guard-request.ts'
import { openRoutes } from './middleware/open-routes.ts'
import type { Route } from './routing-table.ts'

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
  readonly permissions: ReadonlyMap<string, Rule>
  readonly routes: readonly Route[]
  /** The way to the service of a row of the routing table. */
  readonly forwarderOf: (route: Route) => Forwarder
  readonly now: () => Date
  readonly newId: () => string
}

/** The public door. The order is the order of trust: nothing is looked at before what it depends on is established. */
export function createApp(deps: EdgeDeps): Express {
  const { logger, metrics, health, serveMetrics, newId, events, routes, forwarderOf } = deps
  const index = createEndpointIndex(deps)
  const forwarders = new Map(routes.map((route) => [route, forwarderOf(route)]))
  return createHttpApp({
    logger,
    metrics,
    health,
    serveMetrics,
    requestId: newId,
    routesLabelAnswers: true,
    // Once it is known whose request it is, and where it goes.
    tracesItself: true,
    guard: guardRequest(headReader(deps.brand), routes, events),
    errorBody: errorBodyAt,
    routes: (router) => router.use(openRoutes(deps.endpoints, health.drain), door({ ...deps, index, forwarders })),
  })
}

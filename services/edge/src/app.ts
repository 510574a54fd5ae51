import type { Brand } from '@ratchet/contracts/brand'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { Rule } from '@ratchet/contracts/permissions'
import type { HealthOptions } from '@ratchet/service-kit/health'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express, RequestHandler, Router } from 'express'
import type { Logger } from 'pino'
import type { AbuseGuardStore, AbuseLimit } from './domain/abuse-guard-store.ts'
import { createEndpointIndex } from './domain/endpoint-index.ts'
import { headReader } from './domain/read-head.ts'
import type { EdgeEvents } from './events.ts'
import type { Forwarder } from './forward/forwarder.ts'
import type { KeyUseLog } from './keys/key-use.ts'
import type { KeyVerifier } from './keys/key-verifier.ts'
import { authenticate } from './middleware/authenticate.ts'
import { authorize } from './middleware/authorize.ts'
import { findDestination } from './middleware/find-destination.ts'
import { guardAbuse } from './middleware/guard-abuse.ts'
import { guardRequest } from './middleware/guard-request.ts'
import { limitBody } from './middleware/limit-body.ts'
import { openRoutes } from './middleware/open-routes.ts'
import { clearedPassageOf } from './passage.ts'
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
  readonly abuseGuard: { readonly store: AbuseGuardStore; readonly limit: AbuseLimit }
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
  const { logger, metrics, health, serveMetrics, newId } = deps
  return createHttpApp({
    logger,
    metrics,
    health,
    serveMetrics,
    requestId: newId,
    guard: guardRequest(headReader(deps.brand), deps.events),
    routes: (router) => mountDoor(router, deps),
  })
}

function mountDoor(router: Router, deps: EdgeDeps): void {
  router.use(
    openRoutes(deps.endpoints),
    authenticate(deps),
    findDestination(createEndpointIndex(deps)),
    authorize,
    guardAbuse({ ...deps.abuseGuard, events: deps.events }),
    limitBody,
    forward(deps),
  )
}

function forward({ routes, forwarderOf }: EdgeDeps): RequestHandler {
  const forwarders = new Map(routes.map((route) => [route, forwarderOf(route)]))
  return (request, response, next) => {
    const { route } = clearedPassageOf(request).destination
    const forwarder = forwarders.get(route)
    if (forwarder === undefined) throw new Error(`no forwarder for ${route.prefix}`)
    return forwarder.forward(request, response, next)
  }
}

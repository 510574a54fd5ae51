import type { RequestListener } from 'node:http'
import type { Brand } from '@ratchet/contracts/brand'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { errorBodyAt } from '@ratchet/contracts/messages'
import { type AnswerErrorOptions, answerError } from '@ratchet/service-kit/http/answer-error'
import type { HealthOptions } from '@ratchet/service-kit/http/health'
import { createHttpApp, probePaths } from '@ratchet/service-kit/http/http-app'
import { measureRequest } from '@ratchet/service-kit/http/measure-request'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { AbuseGuard } from './abuse-guard/abuse-guard.ts'
import { admitRequest } from './admission/admit-request.ts'
import { createEndpointIndex } from './admission/endpoint-index.ts'
import { guardRequest } from './admission/guard-request.ts'
import { openPaths, openRoutes } from './admission/open-routes.ts'
import { headReader } from './admission/read-head.ts'
import type { EdgeRequest, Fail } from './admission/request-context.ts'
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

/**
 * The public listener. It reads no body before the caller, the endpoint and its limits are known. Every request that needs
 * a key takes the same steps without Express: id, measurement, guard, admission. Express serves probes and pages.
 */
export function createApp(deps: EdgeDeps): RequestListener {
  const { logger, metrics, health, serveMetrics, newId, events } = deps
  const index = createEndpointIndex(deps.endpoints)
  const guard = guardRequest(headReader(deps.brand), index, events)
  const errors: AnswerErrorOptions = { logger, health, errorBody: errorBodyAt }
  const pages = createPages(deps, guard)
  const pagePaths = new Set([...probePaths(serveMetrics), ...openPaths])
  const admit = admitRequest({ ...deps, index })
  return (incoming, response) => {
    const request = incoming as EdgeRequest
    if (pagePaths.has(pathOf(request.url))) return void pages(request, response)
    request.id = newId()
    measureRequest(metrics, request, response)
    const fail: Fail = (thrown) => {
      const failed = { id: request.id, path: pathOf(request.url) }
      // An answer that has begun can only be cut.
      if (!answerError(errors, { request: failed, response }, thrown)) request.socket.destroy()
    }
    try {
      guard(request)
      admit(request, response, fail)
    } catch (refusal) {
      fail(refusal)
    }
  }
}

function createPages(deps: EdgeDeps, guard: (request: EdgeRequest) => void): RequestListener {
  const { logger, metrics, health, serveMetrics, newId } = deps
  return createHttpApp({
    logger,
    metrics,
    health,
    serveMetrics,
    requestId: newId,
    routesLabelAnswers: true,
    tracesItself: true,
    guard: (request, _response, next) => {
      guard(request)
      next()
    },
    errorBody: errorBodyAt,
    routes: (router) => router.use(openRoutes(deps.endpoints, health.drain)),
  })
}

/** The target without its query, before it was checked. */
function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

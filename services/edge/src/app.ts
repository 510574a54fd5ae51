import type { RequestListener, ServerResponse } from 'node:http'
import type { Brand } from '@ratchet/contracts/brand'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { inferenceSurfaces } from '@ratchet/contracts/inference-surfaces'
import { loggedHeader } from '@ratchet/contracts/logged-state'
import { errorBodyAt } from '@ratchet/contracts/messages'
import { type AnswerErrorOptions, answerError } from '@ratchet/service-kit/http/answer-error'
import type { HealthOptions } from '@ratchet/service-kit/http/health'
import { createHttpApp, probePaths } from '@ratchet/service-kit/http/http-app'
import { measureRequest } from '@ratchet/service-kit/http/measure-request'
import type { Upgrades } from '@ratchet/service-kit/http/serve-http'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { AbuseGuard } from './abuse-guard/abuse-guard.ts'
import { admitRequest } from './admission/admit-request.ts'
import { admitToDashboard } from './admission/admit-to-dashboard.ts'
import type { ClientAddressOf } from './admission/client-address.ts'
import type { Cors } from './admission/cors.ts'
import { isDashboardPath } from './admission/dashboard-paths.ts'
import { createEndpointIndex } from './admission/endpoint-index.ts'
import { guardRequest } from './admission/guard-request.ts'
import { identifyByKey, identifyBySession } from './admission/identify.ts'
import { openPaths, openRoutes } from './admission/open-routes.ts'
import { apiHeaders, browserHeaders, headReader } from './admission/read-head.ts'
import { contextOf, type EdgeRequest, type Fail } from './admission/request-context.ts'
import { refuseGemini } from './admission/unknown-url.ts'
import { answerErrorPage, answerWelcome, expectsPage } from './error-page.ts'
import type { EdgeEvents } from './events.ts'
import type { Forwarders } from './forward/create-forwarders.ts'
import type { Forwarder } from './forward/forwarder.ts'
import type { KeyUseLog } from './keys/key-use.ts'
import type { KeyVerifier } from './keys/key-verifier.ts'
import type { RefusalCounts } from './refusals/refusal-counts.ts'
import { limitRefusedConnections } from './refusals/refused-connections.ts'
import { openSockets, type SocketLimits } from './sockets/open-sockets.ts'

export interface EdgeDeps {
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly events: EdgeEvents
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly brand: Brand
  readonly keys: KeyVerifier
  readonly clientAddressOf: ClientAddressOf
  readonly keyUse: Pick<KeyUseLog, 'note'>
  readonly abuseGuard: AbuseGuard
  readonly refusals: Pick<RefusalCounts, 'note'>
  readonly endpoints: readonly Endpoint[]
  /** Endpoints of the session listener alone. */
  readonly sessionEndpoints: readonly Endpoint[]
  /** The edge's own identity keys, from which the dashboard's are derived. */
  readonly sessionKeys: readonly NamedKey[]
  readonly forwarders: Forwarders
  /** Null where no dashboard runs: its paths are then unknown URLs. */
  readonly dashboard: Forwarder | null
  /** For pages of other origins that call the API; null: none may. */
  readonly cors: Cors | null
  readonly sockets: SocketLimits
  readonly now: () => Date
  readonly newId: () => string
}

type Handle = (request: EdgeRequest, response: ServerResponse, fail: Fail) => void

/**
 * The public listener. It reads no body before the caller, the endpoint and its limits are known. Every request that needs
 * a key takes the same steps without Express: id, measurement, guard, admission. Express serves probes and pages. What is
 * no path of the API goes to the dashboard.
 */
export function createApp(deps: EdgeDeps): RequestListener {
  const { serveMetrics, newId, events, brand, dashboard, cors } = deps
  const index = createEndpointIndex(deps.endpoints)
  const readBrowserHead = dashboard === null ? null : headReader(brand, { passed: browserHeaders })
  const guard = guardRequest({ readHead: headReader(brand), readBrowserHead, index, events })
  const pages = createPages(deps, guard)
  const pagePaths = new Set([...probePaths(serveMetrics), ...openPaths])
  const admit = admitRequest({ ...deps, index, identify: identifyByKey(deps.keys, deps.clientAddressOf) })
  const openDashboard =
    dashboard === null ? admit : admitToDashboard({ index: createEndpointIndex(endpointsForSessions(deps)), dashboard })
  const handle: Handle = (request, response, fail) => {
    guard(request)
    refuseGemini(contextOf(request).target.path)
    if (request.context?.isForDashboard === true) openDashboard(request, response, fail)
    else admit(request, response, fail)
  }
  const serve = serveApi(deps, newId, handle)
  return (request, response) => {
    const path = pathOf(request.url ?? '')
    if (cors !== null && !isDashboardPath(path) && cors(request, response)) return
    if (pagePaths.has(path)) return void pages(request, response)
    if (dashboard === null && path === '/' && answerWelcome(request, response)) return
    serve(request as EdgeRequest, response)
  }
}

/** WebSockets of the public listener. Each of their requests takes the steps of that listener. */
export function createUpgrades(deps: EdgeDeps, listener: RequestListener): Upgrades {
  const { brand, events, newId, sockets: limits } = deps
  const index = createEndpointIndex(deps.endpoints)
  const guard = guardRequest({ readHead: headReader(brand), readBrowserHead: null, index, events })
  return openSockets({
    ...deps,
    identify: identifyByKey(deps.keys, deps.clientAddressOf),
    index,
    listener,
    drain: deps.health.drain,
    limits,
    serveOpening: (request, response, admit) =>
      serveApi(deps, newId, (opening, answer, fail) => {
        guard(opening)
        admit(opening, answer, fail)
      })(request as EdgeRequest, response),
  })
}

/**
 * The listener of the dashboard: the same steps, with the person for whom the dashboard signed in place of the owner of a
 * key. It alone knows the endpoints for people.
 */
export function createSessionApp(deps: EdgeDeps): RequestListener {
  const { brand, events, newId } = deps
  const index = createEndpointIndex(endpointsForSessions(deps))
  const readHead = headReader(brand, { passed: apiHeaders, ownInternal: [identityHeader] })
  const guard = guardRequest({ readHead, readBrowserHead: null, index, events })
  const admit = admitRequest({ ...deps, index, identify: identifyBySession({ ...deps, keys: deps.sessionKeys }) })
  // The edge created the id when the browser's request arrived. The dashboard's signature holds for it too.
  const idOf = ({ headers }: EdgeRequest) => {
    const id = String(headers[requestIdHeader])
    return idForm.test(id) ? id : newId()
  }
  const serve = serveApi(deps, idOf, (request, response, fail) => {
    guard(request)
    admit(request, response, fail)
  })
  return (request, response) => serve(request as EdgeRequest, response)
}

const noteKeylessRefusal = limitRefusedConnections()

const idForm = /^[0-9a-f-]{36}$/

function endpointsForSessions({ endpoints, sessionEndpoints }: EdgeDeps): readonly Endpoint[] {
  return [...endpoints, ...sessionEndpoints]
}

/** Gives a request its id, measures it, and answers what is thrown while it is handled. */
function serveApi(deps: EdgeDeps, idOf: (request: EdgeRequest) => string, handle: Handle) {
  const { logger, metrics, health, brand } = deps
  const errors: AnswerErrorOptions = { logger, health, errorBody: errorBodyAt }
  return (request: EdgeRequest, response: ServerResponse): void => {
    request.id = idOf(request)
    measureRequest(metrics, request, response)
    const fail: Fail = (thrown) => {
      noteRefusal(deps, request, response, thrown)
      if (!response.headersSent && callsModel(request)) response.setHeader(brand.headers.logged, unlogged)
      const failed = { id: request.id, path: pathOf(request.url) }
      const answer = expectsPage(request) ? answerErrorPage : answerError
      // An answer that has begun can only be cut.
      if (!answer(errors, { request: failed, response }, thrown)) request.socket.destroy()
    }
    try {
      handle(request, response, fail)
    } catch (refusal) {
      fail(refusal)
    }
  }
}

const modelPaths = new Set(inferenceSurfaces.map(({ path }) => path))
const unlogged = loggedHeader('error')

/** Every answer of these endpoints says whether the exchange is logged, also when no service was asked. */
function callsModel({ url, context }: EdgeRequest): boolean {
  return modelPaths.has(context?.target.path ?? pathOf(url))
}

/** A refusal of somebody without a valid key belongs to no workspace. */
function noteRefusal(deps: EdgeDeps, request: EdgeRequest, response: ServerResponse, thrown: unknown): void {
  const { id, context } = request
  if (context?.caller === undefined) return void noteKeylessRefusal(request, response)
  deps.refusals.note(thrown, { workspaceId: context.caller.workspaceId, requestId: id, at: deps.now() })
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

import './express-request.ts'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler, Router } from 'express'
import { type AnswerErrorOptions, answerError, labelAnswer, sendError } from './answer-error.ts'
import { createBodyBudget } from './body-budget.ts'
import { answerHealthz, answerLivez, answerReadyz, answerStartupz, type HealthOptions } from './health.ts'
import { jsonBudgetName, maxJsonBytesAtOnce } from './json-budget.ts'
import { measureRequest } from './measure-request.ts'
import { createWaiters, waitersName } from './prefer-wait.ts'
import { type ChangeRecording, changeRecordingName } from './record-change.ts'
import { asServiceError, ServiceError, toEnvelope } from './service-error.ts'
import { traceRequest } from './trace-request.ts'

export interface HttpAppOptions extends AnswerErrorOptions {
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  /** Returns the request's id: the edge creates it, other services read it from the edge's header. */
  readonly requestId: (request: Request) => string
  /** False when metrics are served on a separate port. */
  readonly serveMetrics: boolean
  /** Runs before everything else, probes included. */
  readonly guard?: RequestHandler
  /**
   * True for an app whose routes write the headers of {@link labelAnswer} themselves, which is cheaper.
   */
  readonly routesLabelAnswers?: boolean
  /** True for an app that creates the spans of its requests itself. */
  readonly tracesItself?: boolean
  /** Where changes of workspaces are recorded; absent for an app without endpoints that change one. */
  readonly changes?: ChangeRecording | undefined
  readonly routes: (router: Router) => void
}

/** Creates the Express app of a service: request id, metrics, probes, routes, 404, error envelope. */
export function createHttpApp(options: HttpAppOptions): Express {
  const app = bareApp()
  app.locals[jsonBudgetName] = createBodyBudget(maxJsonBytesAtOnce)
  app.locals[changeRecordingName] = options.changes
  const { drain } = options.health
  app.locals[waitersName] = createWaiters({ stopping: drain.begun })
  const label: RequestHandler = (request, response, next) => {
    labelAnswer(request, response, drain)
    next()
  }
  app.use(identify(options))
  if (options.routesLabelAnswers !== true) app.use(label)
  if (options.guard !== undefined) app.use(options.guard)
  mountProbes(app, { ...options, label })
  // After the probes, because traces of probes are useless.
  if (options.tracesItself !== true) app.use(traceRequest)
  const router = Router({ strict: true, caseSensitive: true })
  options.routes(router)
  app.use(router)
  app.use(() => {
    throw new ServiceError('unknown_url', 'No such route.')
  })
  app.use(errorHandler(options))
  return app
}

/** App of `ADMIN_PORT`: probes and metrics only. */
export function createAdminApp(options: Pick<HttpAppOptions, 'health' | 'metrics'>): Express {
  const app = bareApp()
  mountProbes(app, { ...options, serveMetrics: true })
  const answerAsThrown: ErrorRequestHandler = (thrown, _request, response, next) => {
    if (response.headersSent) return next(thrown)
    const error = asServiceError(thrown)
    sendError(response, error, toEnvelope(error, ''))
  }
  app.use(answerAsThrown)
  return app
}

/** Paths are exact: `/METRICS` and `/readyz/` are not `/metrics` and `/readyz`. */
function bareApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  return app
}

/** The paths of probes, which need no key and no identity. */
export function probePaths(withMetrics: boolean): readonly string[] {
  return ['/healthz', '/livez', '/startupz', '/readyz', ...(withMetrics ? ['/metrics'] : [])]
}

interface ProbeOptions extends Pick<HttpAppOptions, 'health' | 'metrics' | 'serveMetrics'> {
  readonly label?: RequestHandler
}

function mountProbes(app: Express, { health, metrics, serveMetrics, label = pass }: ProbeOptions): void {
  const answerMetrics: RequestHandler = async (_request, response) => {
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  }
  const probes = {
    '/healthz': answerHealthz,
    '/livez': answerLivez(health),
    '/startupz': answerStartupz(health),
    '/readyz': answerReadyz(health),
    ...(serveMetrics ? { '/metrics': answerMetrics } : {}),
  }
  for (const [path, answer] of Object.entries(probes)) app.route(path).get(label, answer).all(refuseMethod)
}

const refuseMethod: RequestHandler = () => {
  throw new ServiceError('method_not_allowed', 'This URL answers GET, HEAD.', { headers: { allow: 'GET, HEAD' } })
}

const pass: RequestHandler = (_request, _response, next) => next()

function identify({ requestId, metrics }: HttpAppOptions): RequestHandler {
  return (request, response, next) => {
    request.id = requestId(request)
    measureRequest(metrics, request, response)
    next()
  }
}

/** The last handler of every app. */
function errorHandler(options: HttpAppOptions): ErrorRequestHandler {
  return (thrown, request, response, next) => {
    if (!answerError(options, { request, response }, thrown)) next(thrown)
  }
}

import './express-request.ts'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express'
import type { Logger } from 'pino'
import { answerHealthz, answerReadyz, type HealthOptions } from './health.ts'
import { asServiceError, ServiceError, toEnvelope } from './service-error.ts'

export interface HttpAppOptions {
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  /** Gives the request its id: minted at the edge, taken from the edge's header behind it. */
  readonly requestId: (request: express.Request) => string
  /** False where metrics are served on a port of their own. */
  readonly serveMetrics: boolean
  /** Runs before anything else looks at the request, probes included. */
  readonly guard?: RequestHandler
  readonly routes: (router: Router) => void
}

/** The one Express app shape of the fleet: request id, metrics, probes, routes, 404, error envelope. */
export function createHttpApp(options: HttpAppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.use(identify(options))
  if (options.guard !== undefined) app.use(options.guard)
  mountProbes(app, options)
  const router = Router({ strict: true, caseSensitive: true })
  options.routes(router)
  app.use(router)
  app.use(() => {
    throw new ServiceError('unknown_url', 'No such route.')
  })
  app.use(errorHandler(options.logger))
  return app
}

/** Probes and metrics alone: what listens on `ADMIN_PORT`. */
export function createAdminApp(options: Pick<HttpAppOptions, 'health' | 'metrics'>): Express {
  const app = express()
  app.disable('x-powered-by')
  mountProbes(app, { ...options, serveMetrics: true })
  return app
}

function mountProbes(app: Express, options: Pick<HttpAppOptions, 'health' | 'metrics' | 'serveMetrics'>): void {
  app.get('/healthz', answerHealthz)
  app.get('/readyz', answerReadyz(options.health))
  if (!options.serveMetrics) return
  app.get('/metrics', async (_request, response) => {
    const { registry } = options.metrics
    response.type(registry.contentType).send(await registry.metrics())
  })
}

function identify({ requestId, metrics, health }: HttpAppOptions): RequestHandler {
  return (request, response, next) => {
    request.id = requestId(request)
    response.setHeader('x-request-id', request.id)
    if (health.drain.draining) response.setHeader('connection', 'close')
    const done = metrics.requestSeconds.startTimer()
    response.once('close', () => {
      done({ method: request.method, route: request.routeName ?? 'none', status: String(response.statusCode) })
    })
    next()
  }
}

/** The last handler of every app: turns anything thrown into the envelope, and logs what is ours. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (thrown, request, response, next) => {
    const error = asServiceError(thrown)
    if (error.status >= 500) logger.error({ err: error, requestId: request.id }, error.message)
    if (response.headersSent) return next(thrown)
    response
      .status(error.status)
      .set({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', ...error.headers })
      .json(toEnvelope(error, request.id))
  }
}

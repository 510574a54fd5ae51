import { voiceErrorOf } from '@ratchet/contracts/voice/voice-errors'
import { labelAnswer } from '@ratchet/service-kit/http/answer-error'
import { forwardedId } from '@ratchet/service-kit/http/forwarded-id'
import type { HealthOptions } from '@ratchet/service-kit/http/health'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import { logFailure } from '@ratchet/service-kit/http/log-failure'
import type { ChangeRecording } from '@ratchet/service-kit/http/record-change'
import { asServiceError, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Callee } from '@ratchet/service-kit/identity/caller-keys'
import { requireIdentity, workspaceOf } from '@ratchet/service-kit/identity/require-identity'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { type AgentRouteDeps, agentRoutes } from './agents/routes.ts'
import { type CallRouteDeps, callRoutes } from './calls/routes.ts'
import { type CanaryRouteDeps, canaryRoutes } from './canaries/routes.ts'
import { type CarrierRouteDeps, carrierRoutes } from './carriers/routes.ts'
import { conversationRoutes } from './judgements/routes.ts'
import { type NumberRouteDeps, numberRoutes } from './numbers/routes.ts'
import { type RecordingRouteDeps, recordingRoutes } from './recordings/routes.ts'
import { type VoiceToolRouteDeps, voiceToolRoutes } from './tools/routes.ts'
import { type TrialRouteDeps, trialRoutes } from './trials/routes.ts'
import { voiceListRoutes } from './voices/routes.ts'

export interface VoiceDeps
  extends AgentRouteDeps,
    Omit<CanaryRouteDeps, 'canaries'>,
    VoiceToolRouteDeps,
    NumberRouteDeps,
    Pick<CarrierRouteDeps, 'carrierCalls' | 'paidCallOf' | 'origin'>,
    Omit<CallRouteDeps, 'canaries' | 'recordings'>,
    Omit<RecordingRouteDeps, 'calls'>,
    Callee {
  readonly writers: TrialRouteDeps['writers']
  readonly openTools: TrialRouteDeps['openTools']
  readonly canaries: CanaryRouteDeps['canaries']
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly changes: ChangeRecording
}

/** The API of the voice interface, as its listener of the edge forwards it. Each path also exists without `/v1`. */
export function createVoiceApp(deps: VoiceDeps): Express {
  return createHttpApp({
    ...deps,
    requestId: forwardedId(deps.now),
    routes: (router) => {
      router.use(requireIdentity({ ...deps, audience: 'voice', keys: deps.identityKeys }))
      conversationRoutes(router, deps)
      carrierRoutes(router, deps)
      router.use(withVersion)
      router.use(oneReadAtATime())
      voiceListRoutes(router, deps)
      agentRoutes(router, deps)
      canaryRoutes(router, deps)
      voiceToolRoutes(router, deps)
      numberRoutes(router, deps)
      callRoutes(router, deps)
      recordingRoutes(router, deps)
      trialRoutes(router, deps)
      router.use(() => {
        throw new ServiceError('unknown_url', 'No such route.')
      })
      router.use(answerVoiceError(deps))
    },
  })
}

/** Reads that are answered at the same time, and those that may wait for their turn. */
const reads = { places: 4, maxOfOwner: 1, maxWaiting: { ofOwner: 50, ofAll: 1_000 } }

/**
 * A page of agents or calls may have tens of megabytes, all of which are in memory until they are sent. So each workspace reads
 * one thing at a time. Streams of events and
 * recordings hold little at a time, and stay open.
 */
function oneReadAtATime(): RequestHandler {
  const places = createFairPlaces(reads)
  return (request, response, next) => {
    if (request.method !== 'GET' || isStream(request)) return next()
    const read = () =>
      new Promise<void>((resolve) => {
        if (response.destroyed) return resolve()
        response.once('close', resolve)
        next()
      })
    places.run(workspaceOf(request) ?? '', read).catch(next)
  }
}

/** Only where it is one: any other answer is a page, whatever the request accepts. */
function isStream(request: Request): boolean {
  const [, what] = /\/calls\/[^/]+\/(events|recording)$/.exec(request.path) ?? []
  return what === 'recording' || (what === 'events' && request.get('accept')?.includes('text/event-stream') === true)
}

/** Paths of the dashboard, and of services, whose refusals have the shape of the fleet. */
const fleetPath = /^\/(session\/voice|internal)\//

const withVersion: RequestHandler = (request, _response, next) => {
  if (request.url.startsWith('/session/voice/')) request.url = request.url.replace('/session/voice/', '/v1/')
  else if (!request.url.startsWith('/v1/')) request.url = `/v1${request.url}`
  next()
}

/** Refusals of the interface have the statuses, codes and shape of the voice interface. */
function answerVoiceError({ logger, health }: Pick<VoiceDeps, 'logger' | 'health'>): ErrorRequestHandler {
  return (thrown, request, response, next) => {
    if (response.headersSent || fleetPath.test(request.originalUrl)) return next(thrown)
    const error = asServiceError(thrown)
    if (error.status >= 500) logFailure(logger, error, request.id)
    const { status, code } = voiceErrorOf(error.code, { isBodyRead: request.body !== undefined })
    labelAnswer(request, response, health.drain)
    response.set('cache-control', 'no-store').set(error.headers)
    response.status(status).json({ error: { message: error.message, code } })
  }
}

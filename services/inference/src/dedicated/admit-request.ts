import type { Brand } from '@ratchet/contracts/brand'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { CompletionHook } from '../request/completion-hooks.ts'
import { headerOf } from '../request/header-of.ts'
import { internalCallSettings } from '../request/internal-call.ts'
import type { ParsedRequest } from '../request/request-records.ts'
import type { SettingsSource, WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { DedicatedRoute } from './dedicated-route.ts'
import type { EndpointVisit, TrafficCounts } from './traffic.ts'

export interface AdmitDeps {
  readonly brand: Brand
  readonly settings: SettingsSource
  readonly dedicated: {
    readonly traffic: TrafficCounts
    /** Tells the training service now that a request waits. */
    report(): void
    /** Waits so many milliseconds, or until the signal. */
    pause(ms: number, signal: AbortSignal): Promise<unknown>
    readonly clockMs: () => number
  }
}

export interface Admitted {
  /** The request, with the settings of now. */
  readonly parsed: ParsedRequest
  readonly hook: CompletionHook
}

/** Seconds that a request waits for an endpoint to start: by default, and at most. */
const defaultWaitS = 60
const maxWaitS = 600
/** How often a request that waits looks for a replica, when it waits with few others. Routes are read every second. */
const lookEveryMs = 100
/** Requests of a workspace beyond which each looks less often, because looking costs all workspaces time. */
const fewWaiting = 200
/** Requests of a workspace that may wait in a process, at all its endpoints. */
const maxWaitingOfWorkspace = 2_000
/** Requests that may wait for each one that the replicas are for. */
const queueFactor = 4
/** The answer of a client without a better guess of the next start. */
const usualStartS = 30

/**
 * Lets a request to a dedicated endpoint go on when a replica is ready, and holds it until then if the endpoint starts or is
 * scaled to zero, which wakes it.
 *
 * @returns null when the workspace has no such endpoint
 * @throws ServiceError `endpoint_starting`, `no_capacity` when it is stopped, or `rate_limit_exceeded` when it is full
 */
export async function admitToEndpoint(deps: AdmitDeps, parsed: ParsedRequest): Promise<Admitted | null> {
  const { traffic, clockMs } = deps.dedicated
  const route = routeOf(parsed.settings, parsed)
  if (route === null) return null
  const maxWaitMs = waitMsOf(deps, parsed)
  requirePlace(traffic, route, parsed.identity.workspaceId)
  const visit = traffic.enter({ id: route.id, workspaceId: parsed.identity.workspaceId })
  const startedMs = clockMs()
  try {
    const settings = await readySettings(deps, parsed, { route, untilMs: startedMs + maxWaitMs })
    visit.started(settings === parsed.settings ? 0 : clockMs() - startedMs)
    // However it ends. An answer has told its outcome before.
    parsed.httpResponse.once('close', () => visit.ended(failed))
    return { parsed: { ...parsed, settings }, hook: hookOf(visit, parsed) }
  } catch (error) {
    visit.ended(failed)
    throw error
  }
}

const failed = { isAnswered: false, tokens: 0, ttftMs: null }

function hookOf(visit: EndpointVisit, { startedAt, facts }: ParsedRequest): CompletionHook {
  return {
    async afterCharge({ tokens, firstByteAt }) {
      const ttftMs = facts.stream && firstByteAt !== undefined ? firstByteAt.getTime() - startedAt.getTime() : null
      visit.ended({ isAnswered: true, tokens, ttftMs: ttftMs === null ? null : Math.max(0, ttftMs) })
    },
    abandoned: () => visit.ended(failed),
  }
}

function routeOf({ dedicated }: WorkspaceSettings, { facts }: ParsedRequest): DedicatedRoute | null {
  return dedicated.get(facts.requestedModel) ?? null
}

/** @throws ServiceError `invalid_request` for a header that is no number of seconds */
function waitMsOf({ brand }: AdmitDeps, { httpRequest }: ParsedRequest): number {
  const name = brand.headers.maxWait
  const text = headerOf(httpRequest, name)
  if (text === null) return defaultWaitS * 1_000
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (seconds <= maxWaitS) return seconds * 1_000
  throw new ServiceError('invalid_request', `${name} must be whole seconds, 0 to ${maxWaitS}.`, { param: name })
}

function requirePlace(
  traffic: TrafficCounts,
  { id, targetConcurrency, replicas }: DedicatedRoute,
  workspaceId: string,
): void {
  const { running, waiting } = traffic.of(id)
  const places = targetConcurrency * replicas.length
  const queued = Math.max(0, running - places) + waiting
  const isFull = queued > queueFactor * Math.max(targetConcurrency, places)
  if (!isFull && (replicas.length > 0 || traffic.waitingOf(workspaceId) < maxWaitingOfWorkspace)) return
  throw new ServiceError(
    'rate_limit_exceeded',
    'Too many requests wait at the endpoint. Raise `maxReplicas`, or retry.',
    {
      retryAfterSeconds: 1,
    },
  )
}

interface Waiting {
  readonly route: DedicatedRoute
  readonly untilMs: number
}

/** The settings with which a replica can be called: those of the request if there is one, else those of a later moment. */
async function readySettings(
  deps: AdmitDeps,
  parsed: ParsedRequest,
  { route, untilMs }: Waiting,
): Promise<WorkspaceSettings> {
  const { clockMs, pause, report, traffic } = deps.dedicated
  const everyMs = () => lookEveryMs * Math.max(1, traffic.waitingOf(parsed.identity.workspaceId) / fewWaiting)
  let settings = parsed.settings
  let present: DedicatedRoute | null = route
  let hasReported = false
  const left = new AbortController()
  const leave = () => left.abort()
  parsed.httpResponse.once('close', leave)
  try {
    while (present !== null && present.replicas.length === 0) {
      // Another model that the client named may answer in its place.
      if (isStopped(present) && parsed.facts.fallbackModels.length > 0) return settings
      if (isStopped(present)) throw stopped()
      if (!hasReported) report()
      hasReported = true
      if (clockMs() >= untilMs && parsed.facts.fallbackModels.length > 0) return settings
      if (clockMs() >= untilMs || left.signal.aborted) throw starting(present)
      await pause(Math.min(everyMs(), Math.max(1, untilMs - clockMs())), left.signal)
      settings = await currentSettings(deps, parsed)
      present = routeOf(settings, parsed)
    }
    return settings
  } finally {
    parsed.httpResponse.off('close', leave)
  }
}

async function currentSettings(
  { settings }: AdmitDeps,
  { identity, internalCall }: ParsedRequest,
): Promise<WorkspaceSettings> {
  const present = await settings.of(identity.workspaceId)
  return internalCall === null ? present : internalCallSettings(present)
}

function isStopped({ state }: DedicatedRoute): boolean {
  return state === 'STOPPED' || state === 'STOPPING' || state === 'FAILED'
}

function stopped(): ServiceError {
  const message = 'The dedicated endpoint is stopped. Start it with `POST /v1/dedicated/endpoints/{id}/start`.'
  return new ServiceError('no_capacity', message, { param: 'model', retryAfterSeconds: 60 })
}

function starting({ startMs }: DedicatedRoute): ServiceError {
  const retryAfterSeconds = startMs === null ? usualStartS : Math.max(1, Math.ceil(startMs / 1_000))
  return new ServiceError('endpoint_starting', 'The dedicated endpoint is starting. Retry, or wait longer.', {
    param: 'model',
    retryAfterSeconds,
  })
}

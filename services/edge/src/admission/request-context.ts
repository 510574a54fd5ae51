import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import type { BodyLimits } from './body-limit.ts'
import type { CleanTarget } from './clean-target.ts'
import type { RequestHead } from './read-head.ts'

/** What the edge has established about a request. Each step adds its part. */
export interface RequestContext {
  readonly target: CleanTarget
  /** The model that the path names; null when the body names it. */
  readonly model: string | null
  readonly head: RequestHead
  /** Whether the dashboard answers it, not the API. */
  readonly isForDashboard: boolean
  /** Who asks, also when the request is refused. */
  caller?: Identity
  identity?: Identity
  endpoint?: Endpoint
  /** Set when the request may be forwarded. */
  limits?: BodyLimits
}

/** The context of a request to the API that may be forwarded: its caller and its endpoint are known. */
export type AdmittedContext = Required<RequestContext>

/** A request of a client. Node's server makes it, and the edge adds its fields; Express sees only probes and pages. */
export interface EdgeRequest extends IncomingMessage {
  /** The request id, which is in every answer and log line. */
  id: string
  /** The route's pattern, for metrics. */
  routeName?: string
  method: string
  url: string
  /** True when somebody else ends a client that does not read the answer. */
  hasWatchedReader?: boolean
  /** Set by the guard. */
  context?: RequestContext
}

/** Gets what was thrown while a request was admitted or forwarded, at most once, and answers it. */
export type Fail = (thrown: unknown) => void

/** @throws Error when the guard did not run */
export function contextOf(request: EdgeRequest): RequestContext {
  if (request.context === undefined) throw new Error('contextOf() before guardRequest()')
  return request.context
}

/** @throws Error for a request without identity or endpoint, which must not be forwarded */
export function admittedContextOf(request: EdgeRequest): AdmittedContext {
  const context = contextOf(request)
  if (context.identity === undefined || context.endpoint === undefined || context.limits === undefined) {
    throw new Error('admittedContextOf() on a request that was not authenticated and routed')
  }
  return context as AdmittedContext
}

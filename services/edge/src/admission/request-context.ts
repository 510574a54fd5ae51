import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import type { Request } from 'express'
import type { CleanTarget } from './clean-target.ts'
import type { RequestHead } from './read-head.ts'

/** What the edge has established about a request. Each middleware adds its part. */
export interface RequestContext {
  readonly target: CleanTarget
  readonly head: RequestHead
  identity?: Identity
  endpoint?: Endpoint
}

/** The context of a request that may be forwarded: its caller and its endpoint are known. */
export type AdmittedContext = Required<RequestContext>

declare global {
  namespace Express {
    interface Request {
      /** Set by the first middleware of the edge. */
      context?: RequestContext
    }
  }
}

/** @throws Error when the middleware that sets the context did not run */
export function contextOf(request: Request): RequestContext {
  if (request.context === undefined) throw new Error('contextOf() before guardRequest()')
  return request.context
}

/** @throws Error for a request without identity or endpoint, which must not be forwarded */
export function admittedContextOf(request: Request): AdmittedContext {
  const context = contextOf(request)
  if (context.identity === undefined || context.endpoint === undefined) {
    throw new Error('admittedContextOf() on a request that was not authenticated and routed')
  }
  return context as AdmittedContext
}

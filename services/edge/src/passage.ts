import type { Identity } from '@ratchet/contracts/identity'
import type { Request } from 'express'
import type { CleanTarget } from './domain/clean-target.ts'
import type { RequestHead } from './domain/read-head.ts'
import type { Destination } from './endpoint-index.ts'

/** What the edge has established about a request on its way through. Each middleware adds its part. */
export interface Passage {
  readonly target: CleanTarget
  readonly head: RequestHead
  identity?: Identity
  destination?: Destination
}

/** A passage that was authenticated and routed: ready to be forwarded. */
export type ClearedPassage = Required<Passage>

declare global {
  namespace Express {
    interface Request {
      /** Set by the first middleware of the edge. */
      passage?: Passage
    }
  }
}

/** @throws Error when a middleware runs before the one that makes its input. */
export function passageOf(request: Request): Passage {
  if (request.passage === undefined) throw new Error('passageOf() before guardRequest()')
  return request.passage
}

/** @throws Error when a request gets here unauthenticated or unrouted: that must not be forwarded. */
export function clearedPassageOf(request: Request): ClearedPassage {
  const passage = passageOf(request)
  if (passage.identity === undefined || passage.destination === undefined) {
    throw new Error('clearedPassageOf() on a request that was not authenticated and routed')
  }
  return passage as ClearedPassage
}

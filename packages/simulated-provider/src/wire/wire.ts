import type { IncomingMessage } from 'node:http'
import type { SimulatedModel } from '../simulated-model.ts'
import type { RawHeaders, Surface } from './reply.ts'
import type { WireError } from './wire-error.ts'

/** What the surfaces of one provider have in common besides their answers. */
export interface Wire {
  /** Refuses a request without this provider's key or headers. @throws WireError */
  checkRequest(request: IncomingMessage): void
  /** The JSON text of a refusal, in this provider's envelope. */
  errorBody(error: WireError): string
  /** Headers that come with a refusal; none when absent. */
  errorHeaders?(error: WireError): RawHeaders
}

/** A surface and the models that answer on it; models that only misbehave answer on every surface of their wire. */
export interface ServedSurface {
  wire: Wire
  answer: Surface
  serves(model: SimulatedModel): boolean
}

/**
 * Where a surface is served. A pattern matches the whole path and has a group `model`, which is that part of the path,
 * still percent-encoded; the body of such a request names no model.
 */
export interface Route {
  path: string | RegExp
  surface: ServedSurface
}

import type { IncomingMessage } from 'node:http'
import type { SimulatedModel } from '../simulated-model.ts'
import type { RawHeaders, Surface } from './reply.ts'
import type { WireError } from './wire-error.ts'

/** The common parts of one provider's surfaces. */
export interface Wire {
  /** Refuses a request without this provider's key or headers. @throws WireError */
  checkRequest(request: IncomingMessage): void
  /** The JSON text of a refusal, in this provider's envelope. */
  errorBody(error: WireError): string
  /** Headers of a refusal; none when absent. */
  errorHeaders?(error: WireError): RawHeaders
}

/** A surface and its models; models that only have a defect answer on every surface of their API. */
export interface ServedSurface {
  wire: Wire
  answer: Surface
  serves(model: SimulatedModel): boolean
}

/**
 * The path of a surface. A pattern matches the whole path and has a group `model`, which is that part of the path,
 * still percent-encoded; the body of such a request names no model.
 */
export interface Route {
  path: string | RegExp
  surface: ServedSurface
}

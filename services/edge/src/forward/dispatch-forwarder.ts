import { Pool } from 'undici'
import { DispatchedRequest } from './dispatched-request.ts'
import type { Forwarder, ForwarderOptions } from './forwarder.ts'

/** Longer than every timeout of the services, which limit how long an answer takes, milliseconds. */
const silenceMs = 1_000_000
const connectTimeoutMs = 1_000
/** Shorter than the 65 s after which our servers close idle connections: a server must not close first. */
const keepAliveMs = 4_000

/**
 * Forwards requests on the hot path with undici's `dispatch`: it passes on buffers as they arrive, without streams or
 * promises.
 */
export function createDispatchForwarder(options: ForwarderOptions): Forwarder {
  const dispatcher = new Pool(options.origin, {
    pipelining: 1,
    allowH2: false,
    connectTimeout: connectTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  })
  const deps = { ...options, dispatcher }
  return {
    forward: (request, response, next) => new DispatchedRequest(deps, request, response, next).start(),
    close: () => dispatcher.close(),
  }
}

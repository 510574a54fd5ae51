import { Pool } from 'undici'
import { Exchange } from './exchange.ts'
import type { Forwarder, ForwarderOptions } from './forwarder.ts'

/** Longer than any clock of the services, which own the time an answer may take, milliseconds. */
const silenceMs = 1_000_000
const connectTimeoutMs = 1_000
/** Shorter than the 65 s that our servers keep idle connections, so it is we who close them. */
const keepAliveMs = 4_000

/**
 * The way to a service for traffic whose cost matters: undici's `dispatch`, without streams or promises in
 * between, buffers passed on as they come.
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
    forward: (request, response, next) => new Exchange(deps, request, response, next).start(),
    close: () => dispatcher.close(),
  }
}

import { Pool } from 'undici'

export interface UpstreamOptions {
  /** Scheme, host and port. Operators set it, never clients. */
  readonly origin: string
  /** Maximum number of connections to the origin, which limits the calls in flight. */
  readonly connections: number
  /** Milliseconds to open a connection, including TLS. */
  readonly connectTimeoutMs: number
}

/** The connection pool of one upstream origin. It follows no redirects and opens connections on demand. */
export function createUpstream({ origin, connections, connectTimeoutMs }: UpstreamOptions): Pool {
  return new Pool(origin, {
    connections,
    connectTimeout: connectTimeoutMs,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    allowH2: false,
  })
}

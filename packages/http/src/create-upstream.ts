import { Pool } from 'undici'

export interface UpstreamOptions {
  /** Scheme, host and port; operators set it, callers never do. */
  readonly origin: string
  /** Most connections to the origin, the cap on calls in flight. */
  readonly connections: number
  /** Milliseconds to open a connection, TLS included. */
  readonly connectTimeoutMs: number
}

/** The connection pool of one upstream origin. Follows no redirects; opens connections when needed. */
export function createUpstream({ origin, connections, connectTimeoutMs }: UpstreamOptions): Pool {
  return new Pool(origin, {
    connections,
    connectTimeout: connectTimeoutMs,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    allowH2: false,
  })
}

import { type Dispatcher, Pool } from 'undici'
import { type BaseUrlRules, checkBaseUrl } from './check-base-url.ts'
import { guardedConnector } from './guarded-connector.ts'
import { isPublicAddress } from './is-public-address.ts'
import { publicResolver, type ResolveHost, resolveLocally } from './resolve-host.ts'

export interface GuardedUpstreamOptions {
  /** The URL as a workspace entered it. */
  readonly baseUrl: string
  readonly rules: BaseUrlRules
  /** Maximum number of connections to the host. */
  readonly connections: number
  /** Milliseconds to open a connection, including name resolution and TLS. */
  readonly connectTimeoutMs: number
  /** Resolves hosts that the operator did not name; by default with the name servers. */
  readonly resolve?: ResolveHost
}

export interface GuardedUpstream {
  readonly upstream: Dispatcher
  /** The prefix of every path; empty for none. */
  readonly basePath: string
}

/**
 * The connection pool of a host from outside. It connects only to public addresses, each checked when the connection is
 * made, unless the operator named the host. It follows no redirects and uses no proxy.
 *
 * @throws RangeError when {@link checkBaseUrl} refuses the URL
 */
export function createGuardedUpstream(options: GuardedUpstreamOptions): GuardedUpstream {
  const { baseUrl, rules, connections, connectTimeoutMs, resolve = publicResolver() } = options
  const checked = checkBaseUrl(baseUrl, rules)
  if (checked.kind === 'refused') throw new RangeError(`not a base URL: ${checked.reason}`)
  const { origin, basePath, isAllowedByOperator } = checked
  const upstream = new Pool(origin, {
    connections,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    allowH2: false,
    connect: guardedConnector({
      connectTimeoutMs,
      resolve: isAllowedByOperator ? resolveLocally : resolve,
      isAllowed: isAllowedByOperator ? () => true : isPublicAddress,
    }),
  })
  return { upstream, basePath }
}

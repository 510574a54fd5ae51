import { type Dispatcher, Pool } from 'undici'
import { type BaseUrlRules, checkBaseUrl } from './check-base-url.ts'
import { guardedConnector } from './guarded-connector.ts'
import { isPublicAddress } from './is-public-address.ts'
import { publicResolver, type ResolveHost, resolveLocally } from './resolve-host.ts'

export interface GuardedUpstreamOptions {
  /** As a workspace gave it. */
  readonly baseUrl: string
  readonly rules: BaseUrlRules
  /** Most connections to the host. */
  readonly connections: number
  /** Milliseconds to open a connection, look-up and TLS included. */
  readonly connectTimeoutMs: number
  /** How hosts are looked up that the operator did not name; the name servers when absent. */
  readonly resolve?: ResolveHost
}

export interface GuardedUpstream {
  readonly upstream: Dispatcher
  /** What goes in front of every path; empty for nothing. */
  readonly basePath: string
}

/**
 * The connection pool of a host that somebody outside named. It connects to public addresses only, each checked when
 * the connection is made, unless the operator named the host; follows no redirects and uses no proxy.
 *
 * @throws RangeError when {@link checkBaseUrl} refuses the URL
 */
export function createGuardedUpstream(options: GuardedUpstreamOptions): GuardedUpstream {
  const { baseUrl, rules, connections, connectTimeoutMs, resolve = publicResolver() } = options
  const checked = checkBaseUrl(baseUrl, rules)
  if (checked.kind === 'refused') throw new RangeError(`not a base URL: ${checked.reason}`)
  const { origin, basePath, isVouchedFor } = checked
  const upstream = new Pool(origin, {
    connections,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    allowH2: false,
    connect: guardedConnector({
      connectTimeoutMs,
      resolve: isVouchedFor ? resolveLocally : resolve,
      isAllowed: isVouchedFor ? () => true : isPublicAddress,
    }),
  })
  return { upstream, basePath }
}

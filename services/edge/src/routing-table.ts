import type { ServiceName } from '@ratchet/contracts/endpoint'

/**
 * One row of the way through the edge. `inference` goes through the lean forwarder, which costs a
 * third of what http-proxy-middleware does; `management` through http-proxy-middleware.
 */
export interface Route {
  readonly prefix: string
  readonly service: ServiceName
  readonly kind: 'inference' | 'management'
  readonly maxBodyBytes: number
}

const mebibyte = 1024 * 1024

/** Prefixes match whole segments: `/v1/models` covers `/v1/models/x`, not `/v1/models-x`. */
export const routingTable: readonly Route[] = [
  ...inferenceRoutes(
    '/v1/chat/completions',
    '/v1/messages',
    '/v1/responses',
    '/v1/embeddings',
    '/v1/rerank',
    '/v2/rerank',
  ),
  { prefix: '/v1/models', service: 'inference', kind: 'management', maxBodyBytes: mebibyte },
]

function inferenceRoutes(...prefixes: string[]): Route[] {
  return prefixes.map((prefix) => ({ prefix, service: 'inference', kind: 'inference', maxBodyBytes: 10 * mebibyte }))
}

/** The row for a path, or null. A longer prefix wins over a shorter one. */
export function routeOf(routes: readonly Route[], path: string): Route | null {
  const matching = routes.filter(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
  return matching.reduce<Route | null>(
    (best, route) => (best === null || route.prefix.length > best.prefix.length ? route : best),
    null,
  )
}

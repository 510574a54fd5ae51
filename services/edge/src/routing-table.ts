import type { ServiceName } from '@ratchet/contracts/endpoint'
import type { BodyLimits } from './domain/body-limit.ts'

/**
 * One row of the way through the edge. `inference` goes through the lean forwarder, which costs a
 * third of what http-proxy-middleware does; `management` through http-proxy-middleware.
 */
export interface Route extends BodyLimits {
  readonly prefix: string
  readonly service: ServiceName
  readonly kind: 'inference' | 'management'
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
  ...traceRoutes('/v1/traces', '/v1/otel'),
  { prefix: '/v1/logs', service: 'logging', kind: 'management', maxBodyBytes: mebibyte },
  { prefix: '/v1/logs/import', service: 'logging', kind: 'management', maxBodyBytes: 513 * mebibyte },
  { prefix: '/v1/criteria', service: 'judging', kind: 'management', maxBodyBytes: mebibyte },
  { prefix: '/v1/labels', service: 'judging', kind: 'management', maxBodyBytes: mebibyte },
  { prefix: '/v1/labels/import', service: 'judging', kind: 'management', maxBodyBytes: 64 * mebibyte },
  { prefix: '/v1/evals', service: 'eval', kind: 'management', maxBodyBytes: mebibyte },
  { prefix: '/v1/aliases', service: 'alias', kind: 'management', maxBodyBytes: mebibyte },
  { prefix: '/v1/webhooks', service: 'alias', kind: 'management', maxBodyBytes: mebibyte },
  { prefix: '/v1/setup', service: 'logging', kind: 'management', maxBodyBytes: mebibyte },
  { prefix: '/v1/datasets', service: 'logging', kind: 'management', maxBodyBytes: 513 * mebibyte },
  { prefix: '/v1/files', service: 'logging', kind: 'management', maxBodyBytes: 513 * mebibyte },
]

function inferenceRoutes(...prefixes: string[]): Route[] {
  return prefixes.map((prefix) => ({ prefix, service: 'inference', kind: 'inference', maxBodyBytes: 10 * mebibyte }))
}

/** OpenTelemetry's exporters send here, large batches and mostly compressed. */
function traceRoutes(...prefixes: string[]): Route[] {
  const limits = { maxBodyBytes: 20 * mebibyte, maxGzippedBytes: 4 * mebibyte }
  return prefixes.map((prefix) => ({ prefix, service: 'logging', kind: 'management', ...limits }))
}

/** The row for a path, or null. A longer prefix wins over a shorter one. */
export function routeOf(routes: readonly Route[], path: string): Route | null {
  const matching = routes.filter(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
  return matching.reduce<Route | null>(
    (best, route) => (best === null || route.prefix.length > best.prefix.length ? route : best),
    null,
  )
}

import type { CallableEndpoint } from '@ratchet/contracts/client/endpoint-client'

interface KeyInput {
  readonly params?: unknown
  readonly query?: unknown
}

/** The key of what an endpoint replied. Keys of one endpoint begin alike, so that all its replies can be read again. */
export function queryKeyOf(
  { path }: Pick<CallableEndpoint, 'path'>,
  slug: string | null,
  { params, query }: KeyInput = {},
) {
  return [path, slug, params ?? null, query ?? null] as const
}

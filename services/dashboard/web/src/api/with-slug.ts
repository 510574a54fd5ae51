import type { CallableEndpoint, EndpointInput } from '@ratchet/contracts/client/endpoint-client'
import type { z } from 'zod'

/** The input of a call on a page, which knows the workspace by its address: `:slug` is filled in. */
export type PageInput<E extends CallableEndpoint> = Omit<EndpointInput<E>, 'params' | 'idempotencyKey'> & {
  readonly params?: Omit<z.input<E['params']> & object, 'slug'>
}

/** Fills `:slug` in paths of the dashboard's own endpoints, so that no page has to. */
export function withSlug<E extends CallableEndpoint>(
  { path }: E,
  slug: string | null,
  { params, ...input }: PageInput<E>,
): EndpointInput<E> {
  const filled = path.includes(':slug') ? { slug, ...params } : { ...params }
  return { ...input, params: filled as z.input<E['params']> } as EndpointInput<E>
}

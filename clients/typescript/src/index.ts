import createOpenApiClient, { type Client } from 'openapi-fetch'
import { errorOf } from './errors.js'
import type { paths } from './generated/api.js'
import { idempotentOperations } from './generated/idempotent-operations.js'
import { fetchWithRetries, type RetryOptions, sleepUnlessAborted } from './retry.js'

// biome-ignore lint/performance/noBarrelFile: the public face of a published package
export * from './errors.js'
export type { components, paths } from './generated/api.js'
export type { KnownErrorCode } from './generated/error-codes.js'

export interface RatchetOptions extends Partial<RetryOptions> {
  /** Address of the edge, such as `https://ratchet.example.com`. */
  readonly baseUrl: string
  /** A key of the workspace, `sk_svc_…`. */
  readonly apiKey: string
}

/**
 * A client with the types of every endpoint: `client.GET('/v1/aliases/{name}', { params: { path: { name } } })`.
 *
 * An answer with an error is thrown as `RatchetError`, after the retries, so `data` is always there. A request to an endpoint that
 * takes an `Idempotency-Key` gets one unless it has one.
 */
export function createRatchet({ baseUrl, apiKey, ...options }: RatchetOptions): Client<paths> {
  const retries: RetryOptions = {
    maxRetries: 2,
    maxDelayMs: 60_000,
    fetch: (request) => fetch(request),
    sleep: sleepUnlessAborted,
    random: Math.random,
    ...options,
  }
  const client = createOpenApiClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: (request) => fetchWithRetries(request, retries),
  })
  client.use({
    onRequest({ request, schemaPath }) {
      const isIdempotent = idempotentOperations.has(`${request.method} ${schemaPath}`)
      if (isIdempotent && !request.headers.has('Idempotency-Key')) {
        request.headers.set('Idempotency-Key', crypto.randomUUID())
      }
      return request
    },
    async onResponse({ response }) {
      if (!response.ok && response.status !== 304) throw await errorOf(response)
    },
  })
  return client
}

import type { CallableEndpoint } from '@ratchet/contracts/client/endpoint-client'
import {
  createEndpointClient,
  type EndpointAnswer,
  type EndpointInput,
  type EndpointRequest,
  failureOf,
} from '@ratchet/contracts/client/endpoint-client'
import { z } from 'zod'
import { addressOf } from './address.ts'
import { apiErrorOf } from './api-error.ts'
import { sendRequest } from './send-request.ts'

interface CallContext {
  /** The workspace of the page; null outside of workspaces. */
  readonly slug: string | null
  readonly signal?: AbortSignal | undefined
}

/** The input of a call of the page. */
export type CallInput<E extends CallableEndpoint> = EndpointInput<E> & CallContext

const client = createEndpointClient<CallContext>({ send, errorOf: (failure) => apiErrorOf(failure, null) })

/**
 * Calls an endpoint as the person who is signed in. Rejects with an `ApiError`, or an `UnreachableError`. A built page trusts the
 * shape of replies, because a newer server may send values that its contracts do not have; while developing they are parsed.
 */
export async function call<E extends CallableEndpoint>(
  endpoint: E,
  input: CallInput<E>,
): Promise<z.output<E['reply']>> {
  const trusted = import.meta.env?.PROD ? { ...endpoint, reply: z.unknown() } : endpoint
  const { value } = await client.call(trusted as E, input, { slug: input.slug, signal: input.signal })
  return value
}

const jsonType = { 'content-type': 'application/json' }

async function send(sent: EndpointRequest, { slug, signal }: CallContext): Promise<EndpointAnswer> {
  const { method, path, headers, body } = sent
  // The server refuses unsafe requests of another media type, because forms of other sites can send those.
  const json = method === 'GET' ? { headers } : { headers: { ...headers, ...jsonType }, body: body ?? '{}' }
  const answer = await sendRequest(addressOf(path, slug), { method, ...json, ...(signal ? { signal } : {}) })
  const text = await answer.text()
  if (!answer.ok) throw apiErrorOf(failureOf(answer.status, text), answer.headers.get('retry-after'))
  return { status: answer.status, body: text }
}

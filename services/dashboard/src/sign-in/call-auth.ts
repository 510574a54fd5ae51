import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { clientAddress } from './client-address.ts'

/** The library that answers below `/api/auth`. */
export interface AuthHandler {
  readonly handler: (request: Request) => Promise<Response>
}

export interface AuthCall {
  readonly method: 'GET' | 'POST'
  /** Path and query. */
  readonly path: string
  readonly body?: object
}

export interface AuthAnswer {
  readonly status: number
  readonly headers: Headers
  readonly setCookies: readonly string[]
  /** Parsed JSON; null for another answer. */
  readonly value: unknown
}

/** Headers of the browser that the library reads. */
const passed = [
  'cookie',
  'origin',
  'referer',
  'user-agent',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
] as const

/** Calls the library for a request of a browser. */
export async function callAuth(
  { handler, origin }: AuthHandler & { readonly origin: string },
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  { method, path, body }: AuthCall,
): Promise<AuthAnswer> {
  const headers = new Headers({ 'x-forwarded-for': clientAddress(request) })
  for (const name of passed) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  if (body !== undefined) headers.set('content-type', 'application/json')
  const sent = body === undefined ? null : JSON.stringify(body)
  const answer = await handler(new Request(`${origin}${path}`, { method, headers, body: sent }))
  const text = await answer.text()
  if (answer.status >= 500) throw new Error(`the sign-in failed with status ${answer.status}`)
  return {
    status: answer.status,
    headers: answer.headers,
    setCookies: answer.headers.getSetCookie(),
    value: parseJson(text),
  }
}

/** The same for every reason, so that an answer does not say which addresses have an account. */
export function signInFailed(): ServiceError {
  return new ServiceError('sign_in_failed', 'This did not work. Check the address and the password.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

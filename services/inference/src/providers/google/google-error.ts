import type { IncomingHttpHeaders } from 'node:http'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { ProviderFailure } from '../../wire/provider.ts'
import { failureOfStatus } from '../provider-error.ts'

/**
 * The failure for an error of Google: `{error: {code, message, status, details}}`, which a stream may wrap in a list.
 * An invalid key, an unsupported region and an account without billing are 400s too, although the request is right.
 */
export function failureOfAnswer(status: number, headers: IncomingHttpHeaders, body: Buffer): ProviderFailure {
  const error = readError(body)
  const failure = failureOfStatus(status === 499 ? 503 : status, headers, errorBytes(error))
  const retryAfterMs = failure.retryAfterMs ?? retryDelayMs(error)
  if (failure.kind !== 'refused') return { ...failure, retryAfterMs }
  if (isOurFault(error)) {
    return { kind: 'misconfigured', message: `The provider answered ${status}.`, retryAfterMs, status }
  }
  const isTooLong = saysInTurn(failure.message.toLowerCase(), 'token count', 'exceeds the maximum')
  return { ...failure, retryAfterMs, ...(isTooLong ? { param: 'messages', code: 'context_length_exceeded' } : {}) }
}

/** Not a regular expression, because that could backtrack in a long message. */
function saysInTurn(message: string, first: string, second: string): boolean {
  const at = message.indexOf(first)
  return at !== -1 && message.includes(second, at)
}

function readError(body: Buffer): Fields {
  const text = body.toString().trim()
  const list = text.startsWith('[') && text.endsWith(']')
  const read = readObject(list ? Buffer.from(text.slice(1, -1)) : body)
  return asObject(read?.body.error) ?? {}
}

/**
 * Rewrites the error in the format that is read for every provider. Google's field paths are not those of the client,
 * so they are left out.
 */
function errorBytes({ message }: Fields): Buffer {
  return Buffer.from(JSON.stringify({ error: { message } }))
}

function isOurFault(error: Fields): boolean {
  if (error.status === 'FAILED_PRECONDITION' || error.status === 'PERMISSION_DENIED') return true
  return detailsOf(error).some(({ reason }) => typeof reason === 'string' && reason.startsWith('API_KEY_'))
}

/** `RetryInfo` states the delay as text, as in `34.4s`. */
function retryDelayMs(error: Fields): number | null {
  const delay = detailsOf(error).find(({ retryDelay }) => typeof retryDelay === 'string')?.retryDelay
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(String(delay))?.[1]
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000)
}

function detailsOf({ details }: Fields): readonly Fields[] {
  return Array.isArray(details) ? details.map((detail) => asObject(detail) ?? {}) : []
}

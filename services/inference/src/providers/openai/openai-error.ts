import type { IncomingHttpHeaders } from 'node:http'
import type { UpstreamFailure } from '@ratchet/http/upstream-call'
import type { ProviderFailure } from '../provider.ts'

const longestMessage = 1_000

/** What an answer with an error status means for us. The provider's words reach the caller only when the caller is at fault. */
export function failureOfStatus(status: number, headers: IncomingHttpHeaders, body: Buffer): ProviderFailure {
  const retryAfterMs = readRetryAfter(headers)
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return { kind: 'refused', message: readMessage(body) ?? 'The provider refused the request.', retryAfterMs }
    case 401:
    case 403:
    case 404:
      return { kind: 'misconfigured', message: `The provider answered ${status}.`, retryAfterMs }
    case 429:
      return { kind: 'throttled', message: 'The provider is limiting our requests.', retryAfterMs }
    default:
      return { kind: 'unavailable', message: `The provider answered ${status}.`, retryAfterMs }
  }
}

/** What a call that got no (whole) answer means for us. */
export function failureOfCall({ kind, cause }: UpstreamFailure): ProviderFailure {
  switch (kind) {
    case 'first_byte_timeout':
    case 'idle_timeout':
    case 'total_timeout':
      return { kind: 'timed_out', message: 'The provider took too long to answer.', retryAfterMs: null, cause }
    case 'aborted':
      return { kind: 'aborted', message: 'The call was stopped.', retryAfterMs: null, cause }
    case 'connect':
      return { kind: 'unavailable', message: 'The provider could not be reached.', retryAfterMs: null, cause }
    case 'cut':
      return { kind: 'unavailable', message: 'The provider broke off its answer.', retryAfterMs: null, cause }
  }
}

/** A 200 that is no chat completion. */
export function unreadableAnswer(): ProviderFailure {
  return { kind: 'unavailable', message: 'The provider sent an answer that cannot be read.', retryAfterMs: null }
}

function readRetryAfter(headers: IncomingHttpHeaders): number | null {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

function readMessage(body: Buffer): string | null {
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: { message?: unknown } | string }
    const message = typeof error === 'string' ? error : error?.message
    return typeof message === 'string' && message !== '' ? message.slice(0, longestMessage) : null
  } catch {
    return null
  }
}

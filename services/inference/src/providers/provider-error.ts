import type { IncomingHttpHeaders } from 'node:http'
import type { UpstreamFailure } from '@ratchet/http/upstream-call'
import { perToken } from '../wire/estimated-tokens.ts'
import type { ProviderFailure } from '../wire/provider.ts'
import type { Usage } from '../wire/usage.ts'

const maxMessageLength = 1_000
const limiting = 'The provider is limiting our requests (429).'
const unknownModel =
  'The provider does not know the name that the catalog has for the model, or the address is not that of its API (404).'

/**
 * The failure for an answer with an error status. The provider's message is passed to the client only when the request
 * is wrong.
 */
export function failureOfStatus(status: number, headers: IncomingHttpHeaders, body: Buffer): ProviderFailure {
  const retryAfterMs = readRetryAfter(headers)
  if ([400, 413, 415, 422].includes(status)) return { kind: 'refused', ...readRefusal(body), retryAfterMs, status }
  if (status === 429) return { kind: 'throttled', message: limiting, retryAfterMs, status }
  if (status === 404) return { kind: 'misconfigured', message: unknownModel, retryAfterMs, status }
  const kind = status === 408 || status >= 500 ? 'unavailable' : 'misconfigured'
  return { kind, message: `The provider answered ${status}.`, retryAfterMs, status }
}

/**
 * The failure of a call without a complete answer.
 *
 * @param hadBegun true when the head of an answer had arrived
 */
export function failureOfCall({ kind, cause }: UpstreamFailure, hadBegun: boolean): ProviderFailure {
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
      return {
        kind: hadBegun ? 'broken' : 'unavailable',
        message: 'The provider broke off its answer.',
        retryAfterMs: null,
        cause,
      }
  }
}

/**
 * The failure for a 200 that cannot be read.
 *
 * @param usage what it reports all the same; null when it reports none, and nothing is owed for it
 */
export function unreadableAnswer(usage: Usage | null = null): ProviderFailure {
  const message = 'The provider sent an answer that cannot be read.'
  return {
    kind: 'broken',
    message,
    retryAfterMs: null,
    ...(usage === null ? {} : { spent: { usage, hiddenTokens: 0 } }),
  }
}

/** The failure for an answer that is larger than the request allows. It is not retried, because that would be paid again. */
export function tooLargeAnswer(): ProviderFailure {
  return { kind: 'broken', message: 'The provider sent more than the request allows.', retryAfterMs: null }
}

/**
 * The failure for an answer that does not fit into the memory that its workspace may use at a time.
 *
 * @param bytes of it that arrived
 */
export function noRoomForAnswer(bytes: number): ProviderFailure {
  const message = 'Too many large answers are being read.'
  return { kind: 'no_room', message, retryAfterMs: null, spent: { usage: null, hiddenTokens: bytes / perToken } }
}

/** The failure for a 200 in which the provider itself reports invalid output. A retry may succeed. */
export function malformedAnswer(usage: Usage | null): ProviderFailure {
  const message = 'The model wrote an answer that cannot be used.'
  return { kind: 'unavailable', message, retryAfterMs: null, spent: { usage, hiddenTokens: 0 } }
}

/**
 * Reads the delay from any of its headers: milliseconds, seconds, or a date, which is relative to the date of the
 * answer.
 */
function readRetryAfter(headers: IncomingHttpHeaders): number | null {
  const { 'retry-after-ms': ms, 'retry-after': seconds, date } = headers
  const waits = [Number(ms ?? Number.NaN), Number(seconds) * 1_000, Date.parse(seconds ?? '') - Date.parse(date ?? '')]
  return waits.find((wait) => Number.isFinite(wait) && wait >= 0) ?? null
}

interface Refusal {
  readonly message: string
  readonly param?: string
  readonly code?: string
}

/** The provider's message about a wrong request, cut to a length that can be passed on. */
function readRefusal(body: Buffer): Refusal {
  const error = readError(body)
  const fields = typeof error === 'string' ? { message: error } : error
  const param = textOf(fields?.param)
  const code = textOf(fields?.code)
  return {
    message: textOf(fields?.message) ?? 'The provider refused the request.',
    ...(param === null ? {} : { param }),
    ...(code === null ? {} : { code }),
  }
}

/** The error is under `error` with OpenAI, or at the top, where Cohere has a `message` and others a `detail`. */
function readError(body: Buffer): string | Record<string, unknown> | undefined {
  try {
    const reported = JSON.parse(body.toString('utf8')) as Record<string, unknown> | null
    return (reported?.error ?? reported?.message ?? reported?.detail ?? undefined) as
      | string
      | Record<string, unknown>
      | undefined
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxMessageLength) : null
}

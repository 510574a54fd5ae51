import type { IncomingHttpHeaders } from 'node:http'
import { asObject } from '@ratchet/service-kit/values/json'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { ProviderFailure } from '../../wire/provider.ts'
import { failureOfStatus } from '../provider-error.ts'

/**
 * The failure for an error answer of Anthropic. Its statuses have their usual meaning (529 is overload), with two
 * exceptions: an account without credit is a 400 although the request is right, and a prompt that is too long has no
 * code of its own.
 */
export function failureOfAnswer(status: number, headers: IncomingHttpHeaders, body: Buffer): ProviderFailure {
  const failure = failureOfStatus(status, headers, body)
  if (failure.kind !== 'refused') return failure
  const error = asObject(readObject(body)?.body.error)
  const said = typeof error?.message === 'string' ? error.message : ''
  if (error?.type === 'billing_error' || /credit balance|usage limits/i.test(said)) {
    return { kind: 'misconfigured', message: 'The provider does not serve our account.', retryAfterMs: null, status }
  }
  return tooLong.test(said) ? { ...failure, code: 'context_length_exceeded' } : failure
}

/** Matches `prompt is too long: 210000 tokens > 200000 maximum`. */
const tooLong = /prompt is too long|exceeds? (the )?(model's )?context (limit|window)/i

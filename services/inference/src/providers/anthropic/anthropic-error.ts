import type { IncomingHttpHeaders } from 'node:http'
import { asObject } from '../../wire/chat/chat-chunk.ts'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { ProviderFailure } from '../../wire/provider.ts'
import { failureOfStatus } from '../provider-error.ts'

/**
 * What an error answer of Anthropic means for us. Its statuses mean what everybody's do (529 is overload); but an empty
 * account is a 400 as well, which is no fault of the caller, and a prompt that is too long has no code of its own.
 */
export function failureOfAnswer(status: number, headers: IncomingHttpHeaders, body: Buffer): ProviderFailure {
  const failure = failureOfStatus(status, headers, body)
  if (failure.kind !== 'refused') return failure
  const error = asObject(readObject(body)?.body.error)
  const said = typeof error?.message === 'string' ? error.message : ''
  if (error?.type === 'billing_error' || /credit balance|usage limits/i.test(said)) {
    return { kind: 'misconfigured', message: 'The provider does not serve our account.', retryAfterMs: null }
  }
  return tooLong.test(said) ? { ...failure, code: 'context_length_exceeded' } : failure
}

/** As in `prompt is too long: 210000 tokens > 200000 maximum`. */
const tooLong = /prompt is too long|exceeds? (the )?(model's )?context (limit|window)/i

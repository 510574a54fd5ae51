import type { UpstreamCall } from '@ratchet/http/upstream-call'
import type { ProviderListener } from './provider.ts'

/** A field of a request that cannot be converted. */
export class Refusal extends Error {
  /** The path of the field, as in `messages.0.content.1.image_url`. */
  readonly param: string
  readonly code: 'invalid_request' | 'unsupported_parameter' | 'unsupported_tool'

  constructor(param: string, code: Refusal['code'], message: string) {
    super(message)
    this.param = param
    this.code = code
  }
}

/** @param reason the second half of the message */
export function unsupported(param: string, reason = 'the provider has no equivalent'): Refusal {
  return new Refusal(param, 'unsupported_parameter', `${param} is not supported for this model: ${reason}.`)
}

/** @param demand what the field must be, as in `must be a string` */
export function invalid(param: string, demand: string): Refusal {
  return new Refusal(param, 'invalid_request', `${param} ${demand}.`)
}

/** Reports a refusal to a listener in place of a call. */
export function refuse(listener: ProviderListener, { message, param, code }: Refusal): UpstreamCall {
  listener.onFailure({ kind: 'refused', message, param, code, retryAfterMs: null })
  return { abort() {}, pause() {}, resume() {} }
}

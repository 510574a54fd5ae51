import type { UpstreamCall } from '@ratchet/http/upstream-call'
import type { ProviderListener } from './provider.ts'

/** What is wrong with a request, found while it was being converted. */
export class Refusal extends Error {
  /** The path of the field at fault, as in `messages.0.content.1.image_url`. */
  readonly param: string
  readonly code: 'invalid_request' | 'unsupported_parameter' | 'unsupported_tool'

  constructor(param: string, code: Refusal['code'], message: string) {
    super(message)
    this.param = param
    this.code = code
  }
}

/** @param reason why not; the sentence ends with it */
export function unsupported(param: string, reason = 'the provider has nothing like it'): Refusal {
  return new Refusal(param, 'unsupported_parameter', `${param} is not supported for this model: ${reason}.`)
}

/** @param demand what the field has to be, as in `must be a string` */
export function invalid(param: string, demand: string): Refusal {
  return new Refusal(param, 'invalid_request', `${param} ${demand}.`)
}

/** Tells a listener of a refusal in place of a call. */
export function refuse(listener: ProviderListener, { message, param, code }: Refusal): UpstreamCall {
  listener.onFailure({ kind: 'refused', message, param, code, retryAfterMs: null })
  return { abort() {}, pause() {}, resume() {} }
}

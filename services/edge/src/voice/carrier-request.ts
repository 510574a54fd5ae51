import type { IncomingMessage } from 'node:http'
import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { fleetIdentity } from '@ratchet/contracts/identity'
import type { BodyBudget } from '@ratchet/service-kit/http/body-budget'
import { readBody } from './read-body.ts'
import type { ServiceAnswer } from './voice-answer.ts'
import type { VoiceCall } from './voice-call.ts'

/** Webhooks of carriers: no requests of the API, so no key is asked for and no hour counted. The voice service checks who signed them. */
const path = /^\/carriers\/(?:twilio|telnyx)\/num_[0-9a-f]{32}\/(?:voice|resume|status)$/
const maxBytes = 64 * kibibyte
/** What the signature is made of, beside the URL and the body. */
const passed = ['content-type', 'x-twilio-signature', 'telnyx-signature-ed25519', 'telnyx-timestamp'] as const

export function isOfCarrier(method: string, target: string): boolean {
  return method === 'POST' && path.test(target)
}

export interface CarrierForwarder {
  readonly forward: (call: VoiceCall) => Promise<ServiceAnswer>
  readonly bodies: BodyBudget
}

/** @param address of the sender, who has a share of the memory for bodies */
export async function forwardCarrier(
  { forward, bodies }: CarrierForwarder,
  request: IncomingMessage,
  { requestId, address }: { readonly requestId: string; readonly address: string },
): Promise<ServiceAnswer> {
  const held = bodies.enter(address)
  try {
    const body = await readBody(request, maxBytes, held)
    const headers = Object.fromEntries(
      passed.flatMap((name) => {
        const value = request.headers[name]
        return typeof value === 'string' ? [[name, value] as const] : []
      }),
    )
    // As it was sent: the carrier signs the URL.
    const { url = '/' } = request
    return await forward({ requestId, method: 'POST', url, identity: fleetIdentity, headers, body })
  } finally {
    held.leave()
  }
}

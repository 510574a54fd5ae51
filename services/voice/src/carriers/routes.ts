import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { CallCarrier } from '@ratchet/contracts/voice/calls'
import { type StreamCarrier, streamCarriers } from '@ratchet/contracts/voice/number-providers'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type SecretBox, SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'
import express, { type Request, type Response, type Router } from 'express'
import type { StoredNumber } from '../numbers/number.ts'
import { type AnswerDeps, afterStream, answerVoice, type CarrierEvent, noteStatus } from './answer-carrier.ts'
import { accountOf } from './carrier-api.ts'
import type { CarrierCalls } from './carrier-calls.ts'
import { type Instruction, writeInstruction } from './instructions.ts'
import { isSignedByTelnyx, isSignedByTwilio } from './signatures.ts'

export interface CarrierRouteDeps extends AnswerDeps {
  readonly carrierCalls: CarrierCalls
  readonly secrets: SecretBox
}

const maxBytes = 64 * kibibyte
const idShape = /^[\x21-\x7e]{1,200}$/

/** Webhooks of carriers. The edge forwards them without a key: each is signed by the account of its number. */
export function carrierRoutes(router: Router, deps: CarrierRouteDeps): void {
  const body = express.raw({ type: () => true, limit: maxBytes, inflate: false })
  const mount = (what: string, answer: (event: CarrierEvent) => Promise<Instruction | null>) =>
    router.post(`/carriers/:carrier/:number/${what}`, body, (request, response, next) => {
      respond(deps, { request, response, answer }).catch(next)
    })
  mount('voice', (event) => answerVoice(deps, event))
  mount('resume', (event) => afterStream(deps, event))
  mount('status', async (event) => {
    await noteStatus(deps, event)
    return null
  })
}

interface Asked {
  readonly request: Request
  readonly response: Response
  readonly answer: (event: CarrierEvent) => Promise<Instruction | null>
}

async function respond(deps: CarrierRouteDeps, { request, response, answer }: Asked): Promise<void> {
  const carrier = streamCarriers.find((name) => name === request.params.carrier)
  const id = uuidOf('voiceNumber', String(request.params.number))
  const number = carrier === undefined || id === null ? null : await deps.carrierCalls.number(id)
  // One answer for numbers that do not exist and for requests that their carriers did not sign.
  if (number === null || number.provider !== carrier || !isSigned(deps, request, number)) throw unsigned()
  const instruction = await answer(eventOf(request, number, carrier))
  if (instruction === null) response.status(204).end()
  else response.status(200).type('text/xml').send(writeInstruction(carrier, instruction))
}

function unsigned(): ServiceError {
  return new ServiceError('insufficient_permissions', 'The request is not signed by the carrier of this number.')
}

function isSigned({ origin, secrets, now }: CarrierRouteDeps, request: Request, number: StoredNumber): boolean {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const signed = { url: `${origin}${request.originalUrl}`, headers: request.headers, body }
  const { telnyx } = number.settings
  if (telnyx !== undefined) return isSignedByTelnyx(signed, telnyx.public_key, now().getTime())
  try {
    return isSignedByTwilio(signed, accountOf(number, secrets).secret)
  } catch (error) {
    if (error instanceof SecretUnreadable) return false
    throw error
  }
}

function eventOf(request: Request, number: StoredNumber, provider: StreamCarrier): CarrierEvent {
  const fields = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '')
  const id = fields.get('CallSid') ?? ''
  if (!idShape.test(id)) throw new ServiceError('invalid_request', 'The request names no call.', { param: 'CallSid' })
  const call = request.query.call
  const carrier: CallCarrier = { provider, id, sip_status: null }
  return {
    number,
    carrier,
    callId: typeof call === 'string' ? uuidOf('call', call) : null,
    from: fields.get('From') ?? '',
    status: fields.get('CallStatus') ?? '',
  }
}

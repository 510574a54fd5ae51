import { isObject, parseJson } from '@ratchet/service-kit/values/json'

/** The words of a carrier for the messages on the WebSocket of a call. */
export interface Dialect {
  /** The field that names the stream in each message. */
  readonly streamField: string
  /** Fields of `start` that name the call at the carrier; the first that is there does. */
  readonly callFields: readonly string[]
  /** Whether frames may come out of order, and must be sorted by their numbers. */
  readonly isUnordered: boolean
}

/** Carriers whose streams a worker takes. */
export const dialects = {
  twilio: { streamField: 'streamSid', callFields: ['callSid'], isUnordered: false },
  telnyx: { streamField: 'stream_id', callFields: ['call_control_id', 'callSid'], isUnordered: true },
} as const satisfies Record<string, Dialect>
export type DialectName = keyof typeof dialects

/** What a carrier says on the stream. */
export type StreamMessage =
  | { readonly kind: 'start'; readonly streamId: string; readonly carrierCallId: string | null }
  | { readonly kind: 'media'; readonly number: number; readonly payload: Buffer }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'mark'; readonly name: string }
  | { readonly kind: 'stop' }
  /** Nothing that a call needs. */
  | { readonly kind: 'other' }

const keyShape = /^[0-9*#A-D]$/

/** @returns null for what is no message of a stream */
export function readStreamMessage(text: string, dialect: Dialect): StreamMessage | null {
  const message = parseJson(text)
  if (!isObject(message) || typeof message.event !== 'string') return null
  const { event } = message
  const part = message[event]
  const body = isObject(part) ? part : {}
  if (event === 'stop') return { kind: 'stop' }
  if (event === 'start') return startOf(message, body, dialect)
  if (event === 'media') return mediaOf(body)
  if (event === 'dtmf') {
    const { digit } = body
    return typeof digit === 'string' && keyShape.test(digit) ? { kind: 'key', key: digit } : null
  }
  if (event === 'mark') return typeof body.name === 'string' ? { kind: 'mark', name: body.name } : null
  return { kind: 'other' }
}

function startOf(
  message: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>>,
  { streamField, callFields }: Dialect,
): StreamMessage | null {
  const streamId = message[streamField]
  if (typeof streamId !== 'string') return null
  const carrierCallId = callFields.map((field) => body[field]).find((value) => typeof value === 'string')
  return { kind: 'start', streamId, carrierCallId: typeof carrierCallId === 'string' ? carrierCallId : null }
}

/** Audio of the caller; that of the other track is ours. */
function mediaOf({ track, payload, chunk }: Readonly<Record<string, unknown>>): StreamMessage | null {
  if (typeof payload !== 'string') return null
  if (track !== undefined && track !== 'inbound') return { kind: 'other' }
  const number = Number(chunk)
  return { kind: 'media', number: Number.isSafeInteger(number) ? number : 0, payload: Buffer.from(payload, 'base64') }
}

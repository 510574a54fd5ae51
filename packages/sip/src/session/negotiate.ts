import { SipParseError } from '../message/sip-parse-error.ts'
import { type CodecName, type Direction, isUsableAudio, parseSdp, type SdpMedia } from './sdp.ts'

/** How audio goes between both sides, as a description of the other side says. */
export interface MediaPlan {
  readonly host: string
  readonly port: number
  readonly rtcpPort: number
  readonly codec: CodecName
  readonly payloadType: number
  readonly eventPayloadType: number | null
  /** Of the other side. */
  readonly direction: Direction
}

/** Payload type of events in offers of ours. */
export const offeredEventType = 101
/** In the order of preference. */
export const offeredCodecs = [
  { name: 'PCMU', payloadType: 0 },
  { name: 'PCMA', payloadType: 8 },
] as const

/**
 * What both sides can use: the first codec of the other side that is ours too.
 *
 * @returns null when there is none
 * @throws SipParseError
 */
export function negotiate(
  description: string,
): { readonly plan: MediaPlan; readonly offered: readonly SdpMedia[] } | null {
  const { media } = parseSdp(description)
  const audio = media.find(isUsableAudio)
  if (audio === undefined || audio.host === null) return null
  const chosen = audio.formats.map(Number).find((type) => codecOf(audio, type) !== null)
  const codec = chosen === undefined ? null : codecOf(audio, chosen)
  if (chosen === undefined || codec === null) return null
  const events = [...audio.encodings].find(
    ([type, encoding]) => encoding === 'TELEPHONE-EVENT/8000' && audio.formats.includes(String(type)),
  )
  const plan: MediaPlan = {
    host: audio.host,
    port: audio.port,
    rtcpPort: audio.rtcpPort ?? audio.port + 1,
    codec,
    payloadType: chosen,
    eventPayloadType: events?.[0] ?? null,
    // The address of old hold (RFC 2543).
    direction: audio.host === '0.0.0.0' ? 'inactive' : audio.direction,
  }
  return { plan, offered: media }
}

/** The same, and null also for what is no description. */
export function tryNegotiate(description: string): ReturnType<typeof negotiate> {
  try {
    return negotiate(description)
  } catch (error) {
    if (error instanceof SipParseError) return null
    throw error
  }
}

function codecOf(audio: SdpMedia, type: number): CodecName | null {
  const encoding = audio.encodings.get(type)
  if (encoding === 'PCMU/8000') return 'PCMU'
  return encoding === 'PCMA/8000' ? 'PCMA' : null
}

/** What we do when the other side asks for this, and whether we hold the call ourselves. */
export function answerDirection(theirs: Direction, isHolding: boolean): Direction {
  const theySend = theirs === 'sendrecv' || theirs === 'sendonly'
  const theyReceive = theirs === 'sendrecv' || theirs === 'recvonly'
  const receives = theySend && !isHolding
  if (theyReceive) return receives ? 'sendrecv' : 'sendonly'
  return receives ? 'recvonly' : 'inactive'
}

import { dtmfKeys } from './dtmf-tones.ts'

/** Keys in the order of their codes in RFC 4733. */
const eventKeys = '0123456789*#ABCD'

/** The payload of an RTP packet that stands for a key (RFC 4733, section 2.3). */
export interface TelephoneEvent {
  readonly key: string
  readonly isEnd: boolean
  /** Since the beginning of the event, in units of the RTP clock (8,000 a second). */
  readonly duration: number
}

/** Level of the tone, in −dBm0, that senders state by custom. */
const volume = 10

/** @throws RangeError for a key that a telephone does not have */
export function writeTelephoneEvent({ key, isEnd, duration }: TelephoneEvent): Uint8Array {
  const code = eventKeys.indexOf(key)
  if (key.length !== 1 || code < 0) throw new RangeError(`key must be one of ${dtmfKeys}, got ${key}`)
  const units = Math.min(duration, 0xffff)
  return Uint8Array.of(code, (isEnd ? 0x80 : 0) | volume, units >> 8, units & 0xff)
}

/** @returns null for what is no event, or an event that is no key */
export function readTelephoneEvent(payload: Uint8Array): TelephoneEvent | null {
  const [code = 255, flags = 0, high = 0, low = 0] = payload
  const key = eventKeys[code]
  if (payload.length < 4 || key === undefined) return null
  return { key, isEnd: (flags & 0x80) !== 0, duration: high * 256 + low }
}

/** Collects the keys of a stream of event packets. */
export interface TelephoneEventReader {
  /**
   * @param timestamp of the RTP packet: the same for all packets of one press
   * @returns the key when this packet is the first of its press, so that lost or repeated end packets do not matter
   */
  push(timestamp: number, payload: Uint8Array): string | null
}

/** How far back a late packet of an earlier press may lie, in units of the RTP clock: two seconds. */
const maxLate = 16_000

export function createTelephoneEventReader(): TelephoneEventReader {
  let latest: number | null = null
  return {
    push(timestamp, payload) {
      const event = readTelephoneEvent(payload)
      if (event === null || timestamp === latest) return null
      const back = latest === null ? Number.POSITIVE_INFINITY : (latest - timestamp) >>> 0
      if (back < maxLate) return null
      latest = timestamp
      return event.key
    },
  }
}

import { dtmfTone } from '@ratchet/audio/dtmf/dtmf-tones'
import { writeTelephoneEvent } from '@ratchet/audio/dtmf/telephone-event'
import { encodeALaw, encodeMuLaw } from '@ratchet/audio/g711'
import type { RtpPacket } from '@ratchet/audio/rtp/rtp-packet'
import type { CodecName } from '../session/sdp.ts'
import { frameSamples } from './create-audio-receiver.ts'

/** What goes to the other side, one packet for each 20 ms. */
export interface AudioSender {
  /** Queues audio at 8 kHz behind what is queued. */
  queue(pcm: Int16Array): void
  /** Drops what is queued. @returns milliseconds that were sent since the last `clear` */
  clear(): number
  /** Milliseconds of queued audio that were sent since the last `clear`; silence between does not count. */
  readonly playedMs: number
  readonly queuedMs: number
  /** Presses keys one after the other; audio waits meanwhile. @throws RangeError for a key that a telephone does not have */
  press(keys: string): void
  setPlan(plan: SendPlan): void
  /** The packet of the next 20 ms: a key, queued audio, or silence. null while the other side wants none. */
  next(): RtpPacket | null
  /** For RTCP. */
  readonly sent: { readonly ssrc: number; readonly timestamp: number; readonly packets: number; readonly bytes: number }
}

export interface SendPlan {
  readonly codec: CodecName
  readonly payloadType: number
  readonly eventPayloadType: number | null
  readonly isSending: boolean
}

/** First values, random so that packets of others are not taken for ours (RFC 3550, section 5.1). */
export interface SendNumbers {
  readonly ssrc: number
  readonly sequence: number
  readonly timestamp: number
}

const msPerFrame = 20
const keyFrames = 8
const endPackets = 3
const pauseFrames = 3

interface PressedKey {
  readonly key: string
  /** Packets sent: the press, then the repeated end, then a pause. */
  step: number
  timestamp: number
}

export function createAudioSender(plan: SendPlan, numbers: SendNumbers): AudioSender {
  const { ssrc } = numbers
  let { sequence, timestamp } = numbers
  let current = plan
  let held = new Int16Array(0)
  let playedSamples = 0
  let packets = 0
  let bytes = 0
  let isFirst = true
  const keys: PressedKey[] = []

  const append = (pcm: Int16Array) => {
    const joined = new Int16Array(held.length + pcm.length)
    joined.set(held)
    joined.set(pcm, held.length)
    held = joined
  }
  const takeFrame = (): Int16Array => {
    const frame = new Int16Array(frameSamples)
    const part = held.subarray(0, frameSamples)
    frame.set(part)
    held = held.subarray(part.length)
    playedSamples += part.length
    return frame
  }
  const packetOf = (fields: Pick<RtpPacket, 'payloadType' | 'isMarked' | 'timestamp' | 'payload'>): RtpPacket => {
    const packet = { ...fields, sequence, ssrc }
    sequence = (sequence + 1) & 0xffff
    packets++
    bytes += fields.payload.length
    return packet
  }
  const audioPacket = (frame: Int16Array, at: number): RtpPacket => {
    const payload = current.codec === 'PCMU' ? encodeMuLaw(frame) : encodeALaw(frame)
    const packet = packetOf({ payloadType: current.payloadType, isMarked: isFirst, timestamp: at, payload })
    isFirst = false
    return packet
  }
  /** @returns undefined when the pause behind a key has its audio */
  const keyPacket = (payloadType: number, at: number): RtpPacket | undefined => {
    const pressed = keys[0]
    if (pressed === undefined) return undefined
    if (pressed.step === 0) pressed.timestamp = at
    const step = pressed.step++
    if (step >= keyFrames + endPackets) {
      if (step + 1 >= keyFrames + endPackets + pauseFrames) keys.shift()
      return undefined
    }
    const isEnd = step >= keyFrames
    const duration = Math.min(step + 1, keyFrames) * frameSamples
    const payload = writeTelephoneEvent({ key: pressed.key, isEnd, duration })
    return packetOf({ payloadType, isMarked: step === 0, timestamp: pressed.timestamp, payload })
  }
  return {
    queue: append,
    clear() {
      const ms = playedSamples / 8
      held = new Int16Array(0)
      playedSamples = 0
      return ms
    },
    get playedMs() {
      return playedSamples / 8
    },
    get queuedMs() {
      return held.length / 8
    },
    press(text) {
      for (const key of text) dtmfTone(key, { durationMs: 1, sampleRate: 8_000 })
      for (const key of text) {
        if (current.eventPayloadType !== null) keys.push({ key, step: 0, timestamp: 0 })
        else {
          append(dtmfTone(key, { durationMs: keyFrames * msPerFrame, sampleRate: 8_000 }))
          append(new Int16Array(4 * frameSamples))
        }
      }
    },
    setPlan(next) {
      current = next
    },
    next() {
      const at = timestamp
      timestamp = (timestamp + frameSamples) >>> 0
      if (!current.isSending) {
        isFirst = true
        return null
      }
      const isKeyWaiting = current.eventPayloadType !== null && keys.length > 0
      if (!isKeyWaiting) return audioPacket(takeFrame(), at)
      return keyPacket(current.eventPayloadType ?? 0, at) ?? audioPacket(new Int16Array(frameSamples), at)
    },
    get sent() {
      return { ssrc, timestamp, packets, bytes }
    },
  }
}

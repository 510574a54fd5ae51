import { dtmfTone } from '@ratchet/audio/dtmf/dtmf-tones'
import { encodeALaw, encodeMuLaw } from '@ratchet/audio/g711'
import type { RtpPacket } from '@ratchet/audio/rtp/rtp-packet'
import type { CodecName } from '../session/sdp.ts'
import { frameSamples } from './create-audio-receiver.ts'
import { createKeyPress, keyFrames } from './create-key-press.ts'
import { createSampleQueue } from './create-sample-queue.ts'

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
  /** Of queued audio from now on, in decibels: 0 or less. */
  setVolume(db: number): void
  setPlan(plan: SendPlan): void
  /** The packet of the next 20 ms: a key, queued audio, or silence. null while the other side takes none. */
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

const samplesPerMs = 8
const pauseMs = 80

export function createAudioSender(plan: SendPlan, numbers: SendNumbers): AudioSender {
  const { ssrc } = numbers
  let { sequence, timestamp } = numbers
  let current = plan
  const totals = { packets: 0, bytes: 0 }
  let isFirst = true
  let gain = 1
  const waiting = createSampleQueue()
  const keys = createKeyPress()

  const packetOf = (fields: Omit<RtpPacket, 'sequence' | 'ssrc'>): RtpPacket => {
    const packet = { ...fields, sequence, ssrc }
    sequence = (sequence + 1) & 0xffff
    totals.packets++
    totals.bytes += fields.payload.length
    return packet
  }
  const audioPacket = (frame: Int16Array, at: number): RtpPacket => {
    const payload = current.codec === 'PCMU' ? encodeMuLaw(frame) : encodeALaw(frame)
    const packet = packetOf({ payloadType: current.payloadType, isMarked: isFirst, timestamp: at, payload })
    isFirst = false
    return packet
  }
  return {
    queue: waiting.add,
    clear: () => waiting.clear() / samplesPerMs,
    get playedMs() {
      return waiting.taken / samplesPerMs
    },
    get queuedMs() {
      return waiting.waiting / samplesPerMs
    },
    press(text) {
      const sounds = [...text].map((key) => dtmfTone(key, { durationMs: keyFrames * 20, sampleRate: 8_000 }))
      if (current.eventPayloadType !== null) keys.add(text)
      else
        for (const sound of sounds) for (const pcm of [sound, new Int16Array(pauseMs * samplesPerMs)]) waiting.add(pcm)
    },
    setVolume(db) {
      gain = 10 ** (Math.min(0, db) / 20)
    },
    setPlan(next) {
      current = next
    },
    next() {
      const at = timestamp
      timestamp = (timestamp + frameSamples) >>> 0
      const { isSending, eventPayloadType } = current
      if (!isSending) {
        isFirst = true
        return null
      }
      if (eventPayloadType === null || !keys.isPressing) return audioPacket(amplified(waiting.take(), gain), at)
      const event = keys.next(at)
      return event === null
        ? audioPacket(new Int16Array(frameSamples), at)
        : packetOf({ ...event, payloadType: eventPayloadType })
    },
    get sent() {
      return { ssrc, timestamp, ...totals }
    },
  }
}

function amplified(pcm: Int16Array, gain: number): Int16Array {
  return gain === 1 ? pcm : pcm.map((sample) => Math.round(sample * gain))
}

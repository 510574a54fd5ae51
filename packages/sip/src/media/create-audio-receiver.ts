import { createJitterBuffer, type JitterBuffer, type JitterCounts } from '@ratchet/audio/create-jitter-buffer'
import { createDtmfDetector, type DtmfDetector } from '@ratchet/audio/dtmf/create-dtmf-detector'
import { createTelephoneEventReader } from '@ratchet/audio/dtmf/telephone-event'
import { decodeALaw, decodeMuLaw } from '@ratchet/audio/g711'
import { createFrameAssembler, type FrameAssembler } from '@ratchet/audio/rtp/create-frame-assembler'
import type { ReceptionReport } from '@ratchet/audio/rtp/rtcp-packet'
import type { RtpPacket } from '@ratchet/audio/rtp/rtp-packet'

/** Samples of 20 ms at 8 kHz. */
export const frameSamples = 160

/** The audio and the keys of the other side. */
export interface AudioReceiver {
  receive(packet: RtpPacket, nowMs: number): void
  /**
   * To be called every 20 ms.
   *
   * @returns silence for a packet that was lost, and after 100 ms without packets; null before, because a late packet goes on
   *   where the last one ended
   */
  take(): Int16Array | null
  /** Payload types of a new description. */
  setPlan(plan: ReceivePlan): void
  /** For RTCP; null before the first packet. Ends an interval of the report. */
  report(): Pick<ReceptionReport, 'ssrc' | 'lostShare' | 'lost' | 'highestSequence' | 'jitter'> | null
  readonly counts: Readonly<JitterCounts>
}

export interface ReceivePlan {
  readonly eventPayloadType: number | null
}

/** Packets of a new source that must follow each other before it replaces the old one. */
const newSourcePackets = 2
const recentSequences = 64
/** Frames for which late packets are waited for before there is silence. */
const maxWaited = 5

interface Source {
  readonly ssrc: number
  readonly buffer: JitterBuffer
  readonly assembler: FrameAssembler
  readonly events: ReturnType<typeof createTelephoneEventReader>
  readonly recent: Set<number>
  readonly firstSequence: number
  /** With wraps. */
  highest: number
  received: number
  duplicates: number
  transit: number | null
  jitter: number
  reported: { expected: number; received: number }
}

/** @param onKey called with each key that was pressed, once */
export function createAudioReceiver(plan: ReceivePlan, onKey: (key: string) => void): AudioReceiver {
  const totals: JitterCounts = { received: 0, duplicate: 0, late: 0, lost: 0, trimmed: 0 }
  let current: Source | null = null
  let candidate: { ssrc: number; sequence: number; count: number } | null = null
  let { eventPayloadType } = plan
  let waited = 0
  const tones: DtmfDetector = createDtmfDetector(8_000)

  const isOfNewSource = ({ ssrc, sequence }: RtpPacket): boolean => {
    const follows = candidate !== null && candidate.ssrc === ssrc && ((candidate.sequence + 1) & 0xffff) === sequence
    candidate = { ssrc, sequence, count: follows && candidate !== null ? candidate.count + 1 : 1 }
    return candidate.count >= newSourcePackets
  }
  const sourceOf = (packet: RtpPacket): Source | null => {
    if (current !== null && current.ssrc === packet.ssrc) return current
    if (current !== null && !isOfNewSource(packet)) return null
    if (current !== null) addCounts(totals, current)
    candidate = null
    current = openSource(packet)
    return current
  }
  return {
    receive(packet, nowMs) {
      const samples = decode(packet)
      const isEvent = eventPayloadType !== null && packet.payloadType === eventPayloadType
      if (samples === null && !isEvent) return
      const source = sourceOf(packet)
      if (source === null || !count(source, packet, nowMs)) return
      if (isEvent) {
        const key = source.events.push(packet.timestamp, packet.payload)
        if (key !== null) onKey(key)
      } else if (samples !== null) {
        for (const { number, pcm } of source.assembler.push(packet.timestamp, samples)) {
          source.buffer.put(number, pcm, nowMs)
        }
      }
    },
    take() {
      const lostBefore = current?.buffer.counts.lost ?? 0
      const frame = current?.buffer.take() ?? null
      if (frame === null) {
        waited++
        const isLost = (current?.buffer.counts.lost ?? 0) > lostBefore
        return isLost || waited > maxWaited ? new Int16Array(frameSamples) : null
      }
      waited = 0
      // The last resort, for peers that do not send keys as events.
      if (eventPayloadType === null) for (const key of tones.push(frame)) onKey(key)
      return frame
    },
    setPlan(next) {
      eventPayloadType = next.eventPayloadType
    },
    report: () => (current === null ? null : reportOf(current)),
    get counts() {
      const sum = { ...totals }
      if (current !== null) addCounts(sum, current)
      return sum
    },
  }
}

function openSource({ ssrc, sequence }: RtpPacket): Source {
  return {
    ssrc,
    buffer: createJitterBuffer(),
    assembler: createFrameAssembler(frameSamples),
    events: createTelephoneEventReader(),
    recent: new Set(),
    firstSequence: sequence,
    highest: sequence,
    received: 0,
    duplicates: 0,
    transit: null,
    jitter: 0,
    reported: { expected: 0, received: 0 },
  }
}

/** Static types only: other codecs are not offered. */
function decode({ payloadType, payload }: RtpPacket): Int16Array | null {
  if (payloadType === 0) return decodeMuLaw(payload)
  return payloadType === 8 ? decodeALaw(payload) : null
}

/** @returns false for a packet that came before */
function count(source: Source, { sequence, timestamp }: RtpPacket, nowMs: number): boolean {
  const { recent } = source
  if (recent.has(sequence)) {
    source.duplicates++
    return false
  }
  recent.add(sequence)
  if (recent.size > recentSequences) recent.delete(firstOf(recent))
  const step = ((sequence - source.highest) << 16) >> 16
  source.highest = Math.max(source.highest, source.highest + step)
  source.received++
  const transit = nowMs * 8 - timestamp
  if (source.transit !== null) source.jitter += (Math.abs(transit - source.transit) - source.jitter) / 16
  source.transit = transit
  return true
}

function firstOf(numbers: ReadonlySet<number>): number {
  for (const number of numbers) return number
  return -1
}

function reportOf(source: Source) {
  const expected = source.highest - source.firstSequence + 1
  const since = { expected: expected - source.reported.expected, received: source.received - source.reported.received }
  source.reported = { expected, received: source.received }
  return {
    ssrc: source.ssrc,
    lostShare: since.expected <= 0 ? 0 : Math.max(0, since.expected - since.received) / since.expected,
    lost: Math.max(0, expected - source.received),
    highestSequence: source.highest >>> 0,
    jitter: source.jitter,
  }
}

function addCounts(sum: JitterCounts, { buffer: { counts }, duplicates }: Source): void {
  sum.received += counts.received
  sum.duplicate += counts.duplicate + duplicates
  sum.late += counts.late
  sum.lost += counts.lost
  sum.trimmed += counts.trimmed
}

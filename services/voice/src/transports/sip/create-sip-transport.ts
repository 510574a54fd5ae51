import type { LegEvents, SipLeg } from '@ratchet/sip/agent/sip-leg'
import type { CallTransport, TransportEvents } from '../../engine/ports.ts'

/** The line of a call by SIP. */
export interface SipTransport extends CallTransport {
  /** What the leg reports: to be given to `answer`, `dial` or `resume`. */
  readonly legEvents: LegEvents
  /** Audio that was queued before goes out now. */
  attach(leg: SipLeg): void
}

const sampleRate = 8_000
const samplesPerMs = sampleRate / 1_000

/** Audio in the queue of the leg, in its order. */
interface Piece {
  readonly utterance: number
  readonly pcm: Int16Array
  /** Where it begins in what was queued since the leg's last `clear`, in milliseconds. */
  readonly fromMs: number
}

/** What was played is what went out: RTP has no acknowledgement, and the other side plays it a moment later. */
export function createSipTransport(
  events: Pick<TransportEvents, 'onAudio' | 'onKey' | 'onPlayed' | 'onCleared' | 'onGone'>,
): SipTransport {
  let leg: SipLeg | null = null
  let pieces: Piece[] = []
  let queuedMs = 0
  /** Milliseconds of each utterance that went out before the leg's last `clear`. */
  let earlier = new Map<number, number>()
  const cleared = new Set<number>()
  let latest: number | null = null

  const queue = (utterance: number, pcm: Int16Array) => {
    pieces.push({ utterance, pcm, fromMs: queuedMs })
    queuedMs += pcm.length / samplesPerMs
    leg?.send(pcm)
  }
  const playedOf = (utterance: number, playedMs: number): number =>
    pieces
      .filter((piece) => piece.utterance === utterance)
      .reduce((sum, piece) => sum + playedPart(piece, playedMs), earlier.get(utterance) ?? 0)
  return {
    sampleRate,
    attach(answered) {
      leg = answered
      for (const { pcm } of pieces) leg.send(pcm)
    },
    play(utterance, pcm) {
      if (cleared.has(utterance)) return
      if (utterance !== latest) leg?.setVolume(0)
      latest = utterance
      queue(utterance, pcm)
    },
    clear(utterance) {
      cleared.add(utterance)
      const playedMs = leg?.clear() ?? 0
      const before = pieces
      earlier = new Map(
        [...new Set(before.map((piece) => piece.utterance))].map((each) => [each, playedOf(each, playedMs)]),
      )
      pieces = []
      queuedMs = 0
      for (const piece of before) {
        const rest = piece.pcm.subarray(Math.round(playedPart(piece, playedMs) * samplesPerMs))
        if (piece.utterance !== utterance && rest.length > 0) queue(piece.utterance, rest)
      }
      events.onCleared(utterance, Math.floor(earlier.get(utterance) ?? 0))
    },
    setVolume: (db) => leg?.setVolume(db),
    hangUp: () => leg?.hangup(),
    legEvents: {
      onAudio: (pcm) => events.onAudio(pcm),
      onDtmf: (key) => events.onKey(key),
      onPlayed(playedMs) {
        const current = pieces.findLast(({ fromMs }) => fromMs < playedMs)
        if (current !== undefined) events.onPlayed(current.utterance, Math.floor(playedOf(current.utterance, playedMs)))
      },
      onEnded: () => events.onGone(),
    },
  }
}

/** Milliseconds of a piece that went out. */
function playedPart({ pcm, fromMs }: Piece, playedMs: number): number {
  return Math.max(0, Math.min(pcm.length / samplesPerMs, playedMs - fromMs))
}

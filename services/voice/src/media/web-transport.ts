import { frameMs } from '@ratchet/audio/create-frame-pacer'
import { type MediaRequest, mediaFormat } from '@ratchet/contracts/voice/media-messages'
import type { CallTransport, TransportEvents } from '../engine/ports.ts'
import { createFrameQueue } from './frame-queue.ts'
import type { MediaPeer } from './media-peer.ts'

/** The line of a web call. */
export interface WebTransport extends CallTransport {
  /** Where events of the line go. */
  connect(events: TransportEvents): void
  /** To be called every 20 ms. */
  passFrame(): void
  takeAudio(bytes: Buffer): void
  take(message: Exclude<MediaRequest, { readonly type: 'start' | 'bye' }>): void
}

/** Frames that may be sent before they are due: they fill the buffer of the other side. */
const maxAhead = 5
const { sampleRate } = mediaFormat
const frameSamples = (sampleRate * frameMs) / 1000
/** Utterances of which it is remembered what was sent: acknowledgements of older ones come no more. */
const maxRemembered = 8

/** What was sent of an utterance. */
interface Sent {
  /** Milliseconds of the utterance, without what frames were filled up with, at the end of each frame. */
  readonly endMs: number[]
  isCleared: boolean
}

/**
 * Sends audio as it is due, and not much earlier, so that little has to be called back. What was played is what the other side
 * acknowledges, and never more than was sent.
 */
export function createWebTransport(peer: MediaPeer, onHangUp: () => void): WebTransport {
  const queue = createFrameQueue(frameSamples)
  const utterances = new Map<number, Sent>()
  let events: TransportEvents | null = null
  let announced: number | null = null
  let credit = maxAhead
  let gain = 1

  const sentOf = (utterance: number): Sent => {
    const known = utterances.get(utterance)
    if (known !== undefined) return known
    const fresh: Sent = { endMs: [], isCleared: false }
    utterances.set(utterance, fresh)
    const [oldest] = utterances.keys()
    if (utterances.size > maxRemembered && oldest !== undefined) utterances.delete(oldest)
    // The first audio of an utterance has the full volume.
    gain = 1
    return fresh
  }
  const playedOf = (utterance: number, ms: number): number => {
    const endMs = utterances.get(utterance)?.endMs ?? []
    return endMs[Math.min(endMs.length, Math.floor(ms / frameMs)) - 1] ?? 0
  }
  const sendFrame = (): boolean => {
    const frame = queue.next()
    if (frame === null) return false
    const { utterance, samples } = frame
    if (announced !== utterance) peer.send({ type: 'audio', id: utterance })
    announced = utterance
    peer.sendAudio(gain === 1 ? frame.pcm : frame.pcm.map((sample) => Math.round(sample * gain)))
    const { endMs } = sentOf(utterance)
    endMs.push((endMs.at(-1) ?? 0) + (samples * 1000) / sampleRate)
    return true
  }

  return {
    sampleRate,
    connect(to) {
      events = to
    },
    play(utterance, pcm) {
      if (!sentOf(utterance).isCleared) queue.push(utterance, pcm)
    },
    clear(utterance) {
      sentOf(utterance).isCleared = true
      queue.clear(utterance)
      peer.send({ type: 'clear', id: utterance })
    },
    setVolume(db) {
      gain = 10 ** (db / 20)
    },
    hangUp: onHangUp,
    passFrame() {
      credit = Math.min(maxAhead, credit + 1)
      while (credit > 0 && sendFrame()) credit--
    },
    takeAudio(bytes) {
      const pcm = new Int16Array(bytes.length / 2)
      new Uint8Array(pcm.buffer).set(bytes)
      events?.onAudio(pcm)
    },
    take(message) {
      if (message.type === 'dtmf') events?.onKey(message.key)
      if (message.type === 'text') events?.onText(message.text)
      if (message.type === 'played') events?.onPlayed(message.id, playedOf(message.id, message.ms))
      if (message.type === 'cleared') events?.onCleared(message.id, playedOf(message.id, message.ms))
    },
  }
}

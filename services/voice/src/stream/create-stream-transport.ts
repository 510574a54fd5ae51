import { frameMs } from '@ratchet/audio/create-frame-pacer'
import { dtmfTone } from '@ratchet/audio/dtmf/dtmf-tones'
import { decodeMuLaw, encodeMuLaw } from '@ratchet/audio/g711'
import type { CallTransport, TransportEvents } from '../engine/ports.ts'
import { createFrameQueue } from '../media/frame-queue.ts'

/** What is said to the carrier. */
export interface StreamPeer {
  send(message: Readonly<Record<string, unknown>> & { readonly event: string }): void
}

/** The line of a call whose carrier sends its audio on a WebSocket. */
export interface StreamTransport extends CallTransport {
  connect(events: TransportEvents): void
  /** To be called every 20 ms. */
  passFrame(): void
  takeAudio(payload: Uint8Array): void
  takeMark(name: string): void
  /** The caller pressed a key. */
  takeKey(key: string): void
  /** Sends keys to the other side, as sound. */
  press(keys: string): void
}

const sampleRate = 8_000
const frameSamples = (sampleRate * frameMs) / 1000
/** Frames that the carrier has before they are due: 400 ms. */
const maxAhead = 20
/** Frames between two marks. */
const markEvery = 5
/** Of keys that are sent as sound. No utterance has it. */
const keysId = -1
const keyMs = 160
const keyPauseMs = 80

/** What the carrier has of an utterance. */
interface Sent {
  sentMs: number
  /** Up to which mark it was played, and when we knew. */
  playedMs: number
  playedAtMs: number | null
  sinceMark: number
}

/**
 * Sends audio as it is due, at most 400 ms before. Carriers say by marks how far they have played it; they answer those of audio
 * that is called back too, so marks are numbered by how often that was done.
 */
export function createStreamTransport(peer: StreamPeer, nowMs: () => number): StreamTransport {
  return new LiveStream(peer, nowMs)
}

class LiveStream implements StreamTransport {
  readonly sampleRate = sampleRate
  readonly #peer: StreamPeer
  readonly #nowMs: () => number
  readonly #queue = createFrameQueue(frameSamples)
  readonly #cleared = new Set<number>()
  #sent = new Map<number, Sent>()
  #events: TransportEvents | null = null
  #round = 0
  #credit = maxAhead
  #gain = 1
  #current: number | null = null

  constructor(peer: StreamPeer, nowMs: () => number) {
    this.#peer = peer
    this.#nowMs = nowMs
  }

  connect(events: TransportEvents): void {
    this.#events = events
  }

  play(utterance: number, pcm: Int16Array): void {
    if (this.#cleared.has(utterance)) return
    if (utterance !== this.#current && !this.#sent.has(utterance)) this.#gain = 1
    this.#queue.push(utterance, pcm)
  }

  clear(utterance: number): void {
    this.#cleared.add(utterance)
    this.#queue.clear(utterance)
    const playedMs = this.#playedOf(utterance)
    if (this.#sent.has(utterance)) {
      this.#peer.send({ event: 'clear' })
      this.#round += 1
      this.#sent = new Map()
      this.#current = null
      this.#credit = maxAhead
    }
    this.#events?.onCleared(utterance, playedMs)
  }

  setVolume(db: number): void {
    this.#gain = 10 ** (db / 20)
  }

  /** The line is closed when the end of the call is written. */
  hangUp(): void {}

  passFrame(): void {
    this.#credit = Math.min(maxAhead, this.#credit + 1)
    while (this.#credit > 0 && this.#sendFrame()) this.#credit--
  }

  takeAudio(payload: Uint8Array): void {
    this.#events?.onAudio(decodeMuLaw(payload))
  }

  takeKey(key: string): void {
    this.#events?.onKey(key)
  }

  takeMark(name: string): void {
    const [ofRound, utterance = Number.NaN, ms = Number.NaN] = name.split(':').map(Number)
    const state = this.#sent.get(utterance)
    if (ofRound !== this.#round || state === undefined) return
    if (!(ms >= state.playedMs && ms <= Math.ceil(state.sentMs))) return
    state.playedMs = ms
    state.playedAtMs = this.#nowMs()
    if (utterance !== keysId) this.#events?.onPlayed(utterance, ms)
  }

  press(keys: string): void {
    for (const key of keys) {
      this.#queue.push(keysId, dtmfTone(key, { durationMs: keyMs, sampleRate }))
      this.#queue.push(keysId, new Int16Array((keyPauseMs * sampleRate) / 1000))
    }
  }

  #sendFrame(): boolean {
    const frame = this.#queue.next()
    if (frame === null) return this.#endUtterance()
    const { utterance, pcm, samples } = frame
    if (this.#current !== utterance) this.#endUtterance()
    this.#current = utterance
    const state = this.#sent.get(utterance) ?? this.#begin(utterance)
    const loud = this.#gain === 1 ? pcm : pcm.map((sample) => Math.round(sample * this.#gain))
    this.#peer.send({ event: 'media', media: { payload: Buffer.from(encodeMuLaw(loud)).toString('base64') } })
    state.sentMs += (samples * 1000) / sampleRate
    state.sinceMark += 1
    if (state.sinceMark >= markEvery) this.#mark(utterance, state)
    return true
  }

  #begin(utterance: number): Sent {
    const fresh: Sent = { sentMs: 0, playedMs: 0, playedAtMs: null, sinceMark: 0 }
    this.#sent.set(utterance, fresh)
    // Answered when its first sound is due.
    this.#mark(utterance, fresh)
    return fresh
  }

  /** The end of what there is of it has a mark too. */
  #endUtterance(): boolean {
    const state = this.#current === null ? undefined : this.#sent.get(this.#current)
    if (this.#current !== null && state !== undefined && state.sinceMark > 0) this.#mark(this.#current, state)
    return false
  }

  #mark(utterance: number, state: Sent): void {
    state.sinceMark = 0
    this.#peer.send({ event: 'mark', mark: { name: `${this.#round}:${utterance}:${Math.floor(state.sentMs)}` } })
  }

  /** Since the last mark it went on: what was certainly played by now. */
  #playedOf(utterance: number): number {
    const state = this.#sent.get(utterance)
    if (state === undefined || state.playedAtMs === null) return 0
    return Math.floor(Math.min(state.sentMs, state.playedMs + this.#nowMs() - state.playedAtMs))
  }
}

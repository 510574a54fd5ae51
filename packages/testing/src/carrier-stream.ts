import { createFramePacer } from '@ratchet/audio/create-frame-pacer'
import { decodeMuLaw, encodeMuLaw } from '@ratchet/audio/g711'
import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import type { StreamCarrier } from '@ratchet/contracts/voice/number-providers'
import { WebSocket } from 'ws'

const pacer = createFramePacer({
  nowMs: () => performance.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
})

/** The side of a carrier on the WebSocket of a call, with a caller who speaks and reads the language of tones. */
export class CarrierStream {
  readonly ear: string[] = []
  /** Times of `clear`, milliseconds. */
  readonly clears: number[] = []
  /** Times at which audio came. */
  readonly audio: number[] = []
  readonly closed: Promise<number>
  readonly opened: Promise<boolean>
  readonly #socket: WebSocket
  readonly #carrier: StreamCarrier
  readonly #reader = createToneReader(8_000)
  readonly #speaker = createToneSpeaker(8_000)
  #queue: ({ readonly payload: Buffer } | { readonly mark: string })[] = []
  #mouth = new Int16Array(0)
  #chunk = 0
  #silentTicks = 0

  constructor(url: string, carrier: StreamCarrier, callSid: string) {
    this.#carrier = carrier
    this.#socket = new WebSocket(url)
    const opened = Promise.withResolvers<boolean>()
    this.opened = opened.promise
    const leave = pacer.add(() => this.#tick())
    const closed = Promise.withResolvers<number>()
    this.closed = closed.promise
    this.#socket
      .on('open', () => {
        this.#send({ event: 'connected', protocol: 'Call', version: '1.0.0' })
        const format = { encoding: 'audio/x-mulaw', sample_rate: 8_000, channels: 1 }
        const start =
          carrier === 'twilio' ? { callSid, mediaFormat: format } : { call_control_id: callSid, media_format: format }
        this.#send({ event: 'start', start })
        opened.resolve(true)
      })
      .on('message', (data: Buffer) => this.#take(JSON.parse(data.toString())))
      .on('error', () => opened.resolve(false))
      .on('close', (code) => {
        leave()
        closed.resolve(code)
      })
  }

  /** Whether all that came was played a moment ago, and all its marks were answered. */
  get isQuiet(): boolean {
    return this.#queue.length === 0 && this.#silentTicks > 5
  }

  speak(text: string): void {
    const { pcm } = this.#speaker.say(text)
    const joined = new Int16Array(this.#mouth.length + pcm.length)
    joined.set(this.#mouth)
    joined.set(pcm, this.#mouth.length)
    this.#mouth = joined
  }

  press(digit: string): void {
    this.#send({ event: 'dtmf', dtmf: { track: 'inbound_track', digit } })
  }

  /** The caller hangs up. */
  hangUp(): void {
    this.#send({ event: 'stop', stop: {} })
    this.#socket.close()
  }

  /** The connection is lost, and the call goes on. */
  lose(): void {
    this.#socket.terminate()
  }

  #send(message: object): void {
    const id = this.#carrier === 'twilio' ? { streamSid: 'MZ1' } : { stream_id: 'stream-1' }
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify({ ...message, ...id }))
  }

  #take(message: { event: string; media?: { payload: string }; mark?: { name: string } }): void {
    if (message.event === 'clear') {
      this.clears.push(performance.now())
      // Marks of what is thrown away are answered at once.
      for (const each of this.#queue) if ('mark' in each) this.#send({ event: 'mark', mark: { name: each.mark } })
      this.#queue = []
    }
    if (message.media !== undefined) {
      this.audio.push(performance.now())
      this.#queue.push({ payload: Buffer.from(message.media.payload, 'base64') })
    }
    if (message.mark !== undefined) this.#queue.push({ mark: message.mark.name })
  }

  #tick(): void {
    this.#play()
    const pcm = this.#mouth.subarray(0, 160)
    this.#mouth = this.#mouth.slice(160)
    const frame = new Int16Array(160)
    frame.set(pcm)
    this.#chunk += 1
    const payload = Buffer.from(encodeMuLaw(frame)).toString('base64')
    this.#send({ event: 'media', media: { track: 'inbound', chunk: String(this.#chunk), payload } })
  }

  #play(): void {
    for (;;) {
      const [next] = this.#queue
      if (next === undefined || 'payload' in next) break
      this.#queue.shift()
      this.#send({ event: 'mark', mark: { name: next.mark } })
    }
    const frame = this.#queue.shift()
    this.#silentTicks = frame === undefined ? this.#silentTicks + 1 : 0
    if (this.#silentTicks > 50) return
    const pcm = frame !== undefined && 'payload' in frame ? decodeMuLaw(frame.payload) : new Int16Array(160)
    this.ear.push(...this.#reader.push(pcm).map(({ text }) => text))
  }
}

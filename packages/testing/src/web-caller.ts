import { createFramePacer } from '@ratchet/audio/create-frame-pacer'
import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { type MediaReply, type MediaRequest, mediaFormat } from '@ratchet/contracts/voice/media-messages'
import { WebSocket } from 'ws'

const { sampleRate, frameMs, frameBytes } = mediaFormat
const frameSamples = frameBytes / 2
/** Ticks without audio after which there is silence, and no gap of the network. */
const silentTicks = 50
/** Frames of silence behind what was cut off. */
const silentAfterCut = 3
/** Ticks between two acknowledgements of what is being played. */
const acknowledgeEvery = 5

/** One pacer for all callers of a test. */
const pacer = createFramePacer({
  nowMs: () => performance.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
})

/** What was played of an utterance. */
export interface Played {
  readonly id: number
  readonly ms: number
}

/** A caller of a web call, who speaks and reads the language of tones: it is known word for word what reached the ear. */
export class WebCaller {
  readonly messages: MediaReply[] = []
  /** Words that were read, over all connections. */
  readonly ear: string[]
  /** How the connection was closed. */
  readonly closed: Promise<{ readonly code: number; readonly atMs: number }>
  readonly #socket: WebSocket
  readonly #speaker = createToneSpeaker(sampleRate)
  readonly #reader = createToneReader(sampleRate)
  readonly #played = new Map<number, number>()
  readonly #cleared = new Set<number>()
  #queue: { readonly id: number; readonly pcm: Int16Array }[] = []
  #mouth = new Int16Array(0)
  #announced = 0
  #idleTicks = 0
  #ticks = 0
  #resumeToken: string | null = null
  #heardAtMs = 0

  constructor(socket: WebSocket, start: Extract<MediaRequest, { readonly type: 'start' }> | null, ear: string[]) {
    this.#socket = socket
    this.ear = ear
    const closed = Promise.withResolvers<{ code: number; atMs: number }>()
    this.closed = closed.promise
    const leave = pacer.add(() => this.#tick())
    socket
      .on('open', () => {
        if (start !== null) this.send(start)
      })
      .on('message', (data: Buffer, isBinary: boolean) => {
        if (isBinary) this.#takeAudio(data)
        else this.#take(JSON.parse(data.toString()) as MediaReply)
      })
      .on('error', () => undefined)
      .on('close', (code) => {
        leave()
        closed.resolve({ code, atMs: performance.now() })
      })
  }

  /** By which the caller may connect again; null before the call is open. */
  get resumeToken(): string | null {
    return this.#resumeToken
  }

  /** Of the last utterance. */
  get lastPlayed(): Played | undefined {
    const [id, ms] = [...this.#played].at(-1) ?? []
    return id === undefined || ms === undefined ? undefined : { id, ms }
  }

  /** Milliseconds of sound of the caller that is still to come. */
  get mouthMs(): number {
    return (this.#mouth.length * 1000) / sampleRate
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Whether audio of the agent waits to be played. */
  get isListening(): boolean {
    return this.#queue.length > 0
  }

  /** When audio was last played, on the clock of `performance`. */
  get heardAtMs(): number {
    return this.#heardAtMs
  }

  speak(text: string): void {
    const { pcm } = this.#speaker.say(text)
    this.#mouth = Int16Array.from([...this.#mouth, ...pcm])
  }

  send(message: MediaRequest): void {
    if (this.isOpen) this.#socket.send(JSON.stringify(message))
  }

  sendRaw(data: string | Buffer): void {
    this.#socket.send(data)
  }

  /** Stops reading from the connection. */
  stopReading(): void {
    this.#socket.pause()
  }

  hangUp(): void {
    const { lastPlayed } = this
    if (lastPlayed !== undefined) this.send({ type: 'played', ...lastPlayed })
    this.send({ type: 'bye' })
  }

  terminate(): void {
    this.#socket.terminate()
  }

  #takeAudio(data: Buffer): void {
    const pcm = new Int16Array(data.length / 2)
    new Uint8Array(pcm.buffer).set(data)
    if (!this.#cleared.has(this.#announced)) this.#queue.push({ id: this.#announced, pcm })
  }

  #take(message: MediaReply): void {
    this.messages.push(message)
    if (message.type === 'ready') this.#resumeToken = message.resume_token
    if (message.type === 'audio') this.#announced = message.id
    if (message.type !== 'clear') return
    this.#cleared.add(message.id)
    this.#queue = this.#queue.filter(({ id }) => id !== message.id)
    this.send({ type: 'cleared', id: message.id, ms: this.#played.get(message.id) ?? 0 })
    // What is cut off ends in silence, and not in what is said next.
    for (let i = 0; i < silentAfterCut; i++) this.#listen(new Int16Array(frameSamples))
  }

  #tick(): void {
    if (this.#resumeToken === null) return
    this.#play()
    const spoken = new Int16Array(frameSamples)
    spoken.set(this.#mouth.subarray(0, frameSamples))
    this.#mouth = this.#mouth.slice(frameSamples)
    if (this.isOpen) this.#socket.send(new Uint8Array(spoken.buffer))
    const id = this.#queue[0]?.id
    if (++this.#ticks % acknowledgeEvery === 0 && id !== undefined) this.#acknowledge(id)
  }

  #play(): void {
    const frame = this.#queue.shift()
    if (frame === undefined) {
      // A gap of the network is not heard as one: words would be lost of which the agent could not know.
      if (++this.#idleTicks > silentTicks) this.#listen(new Int16Array(frameSamples))
      return
    }
    this.#idleTicks = 0
    this.#heardAtMs = performance.now()
    this.#listen(frame.pcm)
    this.#played.set(frame.id, (this.#played.get(frame.id) ?? 0) + frameMs)
    if (this.#queue[0]?.id !== frame.id) this.#acknowledge(frame.id)
  }

  #acknowledge(id: number): void {
    this.send({ type: 'played', id, ms: this.#played.get(id) ?? 0 })
  }

  #listen(pcm: Int16Array): void {
    this.ear.push(...this.#reader.push(pcm).map(({ text }) => text))
  }
}

/**
 * Connects to a web call.
 *
 * @param token the `client_token` of a call or a resume token; null: none is sent
 * @param ear of the connection before, which goes on
 * @param lastPlayed of the connection before
 */
export function connectWebCaller(
  url: string,
  token: string | null,
  ear: string[] = [],
  lastPlayed?: Played,
): WebCaller {
  const played = lastPlayed === undefined ? {} : { played: lastPlayed }
  const start = token === null ? null : ({ type: 'start', token, ...played } as const)
  return new WebCaller(new WebSocket(url), start, ear)
}

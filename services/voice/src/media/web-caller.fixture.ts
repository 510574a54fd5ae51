import { createFramePacer } from '@ratchet/audio/create-frame-pacer'
import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { type MediaReply, type MediaRequest, mediaFormat } from '@ratchet/contracts/voice/media-messages'
import { WebSocket } from 'ws'

const { sampleRate, frameMs, frameBytes } = mediaFormat
const frameSamples = frameBytes / 2
/** One pacer for all callers of a test. */
const pacer = createFramePacer({
  nowMs: () => performance.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
})

/** A caller at a WebSocket, who knows word for word what reached the ear. */
export interface WebCaller {
  readonly messages: MediaReply[]
  /** Words that were read, over all connections. */
  readonly ear: string[]
  /** How the present connection was closed. */
  readonly closed: Promise<{ readonly code: number; readonly atMs: number }>
  resumeToken: string | null
  /** Of the last utterance. */
  readonly lastPlayed: Played | undefined
  speak(text: string): void
  /** Milliseconds of sound that is still to come. */
  readonly mouthMs: number
  /** Whether audio of the agent is waiting to be played. */
  readonly isListening: boolean
  send(message: MediaRequest): void
  sendRaw(data: string | Buffer): void
  /** When audio was last played, on the clock of `performance`. */
  readonly heardAtMs: number
  /** Stops reading from the connection. */
  stopReading(): void
  hangUp(): void
  terminate(): void
}

interface Played {
  readonly id: number
  readonly ms: number
}

export function connectWebCaller(
  url: string,
  token: string | null,
  ear: string[] = [],
  lastPlayed?: Played,
): WebCaller {
  const socket = new WebSocket(url)
  const speaker = createToneSpeaker(sampleRate)
  const reader = createToneReader(sampleRate)
  const messages: MediaReply[] = []
  const played = new Map<number, number>()
  const cleared = new Set<number>()
  let queue: { readonly id: number; readonly pcm: Int16Array }[] = []
  let mouth = new Int16Array(0)
  let announced = 0
  let isReady = false
  let idleTicks = 0
  let ticks = 0
  let resumeToken: string | null = null
  let heardAtMs = 0
  const closed = Promise.withResolvers<{ code: number; atMs: number }>()

  const send = (message: MediaRequest) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
  }
  const listen = (pcm: Int16Array) => void ear.push(...reader.push(pcm).map(({ text }) => text))
  const play = () => {
    const frame = queue.shift()
    if (frame === undefined) {
      // A gap of the network is not heard as one: words would be lost that the agent could not know of.
      if (++idleTicks > 10) listen(new Int16Array(frameSamples))
      return
    }
    idleTicks = 0
    heardAtMs = performance.now()
    listen(frame.pcm)
    played.set(frame.id, (played.get(frame.id) ?? 0) + frameMs)
    if (queue[0]?.id !== frame.id) send({ type: 'played', id: frame.id, ms: played.get(frame.id) ?? 0 })
  }
  const tick = () => {
    if (!isReady) return
    play()
    const spoken = new Int16Array(frameSamples)
    spoken.set(mouth.subarray(0, frameSamples))
    mouth = mouth.slice(frameSamples)
    if (socket.readyState === socket.OPEN) socket.send(new Uint8Array(spoken.buffer))
    const id = queue[0]?.id
    if (++ticks % 5 === 0 && id !== undefined) send({ type: 'played', id, ms: played.get(id) ?? 0 })
  }
  const leave = pacer.add(tick)

  socket.on('open', () => {
    if (token !== null) send({ type: 'start', token, ...(lastPlayed === undefined ? {} : { played: lastPlayed }) })
  })
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) {
      const pcm = new Int16Array(data.length / 2)
      new Uint8Array(pcm.buffer).set(data)
      if (!cleared.has(announced)) queue.push({ id: announced, pcm })
      return
    }
    const message = JSON.parse(data.toString()) as MediaReply
    messages.push(message)
    if (message.type === 'ready') {
      isReady = true
      resumeToken = message.resume_token
    }
    if (message.type === 'audio') announced = message.id
    if (message.type === 'clear') {
      cleared.add(message.id)
      queue = queue.filter(({ id }) => id !== message.id)
      send({ type: 'cleared', id: message.id, ms: played.get(message.id) ?? 0 })
    }
  })
  socket.on('error', () => undefined)
  socket.on('close', (code) => {
    leave()
    closed.resolve({ code, atMs: performance.now() })
  })

  return {
    messages,
    ear,
    closed: closed.promise,
    get resumeToken() {
      return resumeToken
    },
    get lastPlayed() {
      const [id, ms] = [...played].at(-1) ?? []
      return id === undefined || ms === undefined ? undefined : { id, ms }
    },
    set resumeToken(value) {
      resumeToken = value
    },
    speak(text) {
      const { pcm } = speaker.say(text)
      mouth = Int16Array.from([...mouth, ...pcm])
    },
    get mouthMs() {
      return (mouth.length * 1000) / sampleRate
    },
    get isListening() {
      return queue.length > 0
    },
    get heardAtMs() {
      return heardAtMs
    },
    send,
    sendRaw: (data) => socket.send(data),
    stopReading: () => socket.pause(),
    hangUp() {
      const [id, ms] = [...played].at(-1) ?? []
      if (id !== undefined && ms !== undefined) send({ type: 'played', id, ms })
      send({ type: 'bye' })
    },
    terminate: () => socket.terminate(),
  }
}

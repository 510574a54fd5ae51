import { createFramePacer } from '@ratchet/audio/create-frame-pacer'
import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { type MediaReply, type MediaRequest, mediaFormat } from '@ratchet/contracts/voice/media-messages'
import { WebSocket } from 'ws'

const { sampleRate, frameMs, frameBytes } = mediaFormat
const frameSamples = frameBytes / 2
const pacer = createFramePacer({
  nowMs: () => performance.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
})

/** A caller in a browser: speaks and hears the language of tones, and tells what was played. */
export interface Caller {
  /** Words that were heard. */
  readonly ear: string[]
  readonly closed: Promise<void>
  /** By which the caller may connect again. */
  resumeToken(): string | null
  /** Why the call ended; null while it goes on. */
  ended(): string | null
  speak(text: string): void
  hangUp(): void
}

export function joinCall(url: string, token: string, ear: string[] = []): Caller {
  const socket = new WebSocket(url)
  const speaker = createToneSpeaker(sampleRate)
  const reader = createToneReader(sampleRate)
  const played = new Map<number, number>()
  let queue: { readonly id: number; readonly pcm: Int16Array }[] = []
  let mouth = new Int16Array(0)
  let announced = 0
  let resumeToken: string | null = null
  let ended: string | null = null
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  const send = (message: MediaRequest) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
  }
  const tick = () => {
    if (resumeToken === null) return
    const frame = queue.shift()
    ear.push(...reader.push(frame?.pcm ?? new Int16Array(frameSamples)).map(({ text }) => text))
    if (frame !== undefined) {
      played.set(frame.id, (played.get(frame.id) ?? 0) + frameMs)
      send({ type: 'played', id: frame.id, ms: played.get(frame.id) ?? 0 })
    }
    const spoken = new Int16Array(frameSamples)
    spoken.set(mouth.subarray(0, frameSamples))
    mouth = mouth.slice(frameSamples)
    if (socket.readyState === socket.OPEN) socket.send(new Uint8Array(spoken.buffer))
  }
  const take = (message: MediaReply) => {
    if (message.type === 'ready') resumeToken = message.resume_token
    if (message.type === 'audio') announced = message.id
    if (message.type === 'end') ended = message.reason
    if (message.type === 'clear') {
      queue = queue.filter(({ id }) => id !== message.id)
      send({ type: 'cleared', id: message.id, ms: played.get(message.id) ?? 0 })
    }
  }
  const leave = pacer.add(tick)
  socket.on('open', () => send({ type: 'start', token }))
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) return take(JSON.parse(data.toString()) as MediaReply)
    const pcm = new Int16Array(data.length / 2)
    new Uint8Array(pcm.buffer).set(data)
    queue.push({ id: announced, pcm })
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    leave()
    close()
  })
  return {
    ear,
    closed,
    resumeToken: () => resumeToken,
    ended: () => ended,
    speak(text) {
      mouth = Int16Array.from([...mouth, ...speaker.say(text).pcm])
    },
    hangUp: () => send({ type: 'bye' }),
  }
}

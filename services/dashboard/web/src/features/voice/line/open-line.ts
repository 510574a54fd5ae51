import {
  type MediaReply,
  type MediaRequest,
  mediaCloseCodes,
  mediaFormat,
} from '@ratchet/contracts/voice/media-messages'
import { type OpenedSocket, openSocket } from '../../../api/open-socket.ts'
import workletUrl from './line-worklet.ts?worker&url'

/* The browser's end of a call: its microphone and its loudspeaker, joined with the agent by a WebSocket. */

export interface LineEvents {
  onMessage(message: MediaReply): void
  /** The connection was lost and is opened again. */
  onLost(): void
  /** @param problem null when the call has ended as calls do */
  onClosed(problem: string | null): void
}

export interface Line {
  say(text: string): void
  setMuted(isMuted: boolean): void
  hangUp(): void
}

/** A problem that a person can do something about. */
export class LineProblem extends Error {
  override name = 'LineProblem'
}

/** What the audio thread says. */
type Heard =
  | { readonly kind: 'frame'; readonly pcm: ArrayBuffer }
  | { readonly kind: 'played' | 'cleared'; readonly id: number; readonly ms: number }

interface Audio {
  readonly node: AudioWorkletNode
  readonly microphone: MediaStream
  close(): void
}

/** @throws LineProblem when there is no microphone, or it may not be used */
export async function openAudio(): Promise<Audio> {
  if (typeof navigator.mediaDevices === 'undefined') {
    throw new LineProblem('This browser gives the microphone to pages over https only.')
  }
  const constraints = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true }
  const microphone = await navigator.mediaDevices.getUserMedia({ audio: constraints }).catch((cause: unknown) => {
    const isRefused = cause instanceof DOMException && cause.name === 'NotAllowedError'
    throw new LineProblem(isRefused ? 'The microphone was not allowed.' : 'There is no microphone.', { cause })
  })
  const context = new AudioContext({ sampleRate: mediaFormat.sampleRate, latencyHint: 'interactive' })
  const close = () => {
    for (const track of microphone.getTracks()) track.stop()
    void context.close()
  }
  try {
    await context.audioWorklet.addModule(workletUrl)
    const node = new AudioWorkletNode(context, 'line', { outputChannelCount: [1] })
    context.createMediaStreamSource(microphone).connect(node)
    node.connect(context.destination)
    await context.resume()
    return { node, microphone, close }
  } catch (cause) {
    close()
    throw new LineProblem('This browser cannot record in the format of calls.', { cause })
  }
}

/** Milliseconds between the tries to open a lost connection again: about twenty seconds in all. */
const waits = [200, 500, 1_000, 2_000, 3_000, 4_000, 4_000, 4_000]
/** Closed for good: the call has ended, or the service refuses. */
const finalCodes: readonly number[] = [
  mediaCloseCodes.ended,
  mediaCloseCodes.protocol,
  mediaCloseCodes.refused,
  mediaCloseCodes.late,
  mediaCloseCodes.moved,
]

interface LineOrder {
  readonly path: string
  readonly token: string
  readonly audio: Audio
}

/** Joins the audio of this browser with a call, and keeps it joined. */
export function openLine({ path, token, audio }: LineOrder, events: LineEvents): Line {
  const { node, microphone } = audio
  let socket: OpenedSocket | null = null
  let resumeToken = token
  let utterance = 0
  let played: { readonly id: number; readonly ms: number } | null = null
  let tries = 0
  let isOver = false

  const send = (message: MediaRequest) => socket?.send(JSON.stringify(message))
  const end = (problem: string | null) => {
    if (isOver) return
    isOver = true
    audio.close()
    events.onClosed(problem)
  }

  function take(message: MediaReply): void {
    if (message.type === 'ready') {
      resumeToken = message.resume_token
      played = null
      tries = 0
    } else if (message.type === 'audio') utterance = message.id
    else if (message.type === 'clear') node.port.postMessage({ kind: 'clear', id: message.id })
    events.onMessage(message)
  }

  function connect(): void {
    socket = openSocket(path, {
      onOpen() {
        send({ type: 'start', token: resumeToken, ...(played === null ? {} : { played }) })
      },
      onText: (text) => take(JSON.parse(text) as MediaReply),
      onBytes: (pcm) => node.port.postMessage({ kind: 'audio', id: utterance, pcm }, [pcm]),
      onClosed: closed,
    })
  }

  function closed(code: number): void {
    const waitMs = waits[tries]
    if (isOver || code === mediaCloseCodes.ended) end(null)
    else if (finalCodes.includes(code)) end('The call could not be joined.')
    else if (waitMs === undefined) end('The connection was lost.')
    else {
      tries += 1
      events.onLost()
      setTimeout(connect, waitMs)
    }
  }

  node.port.onmessage = ({ data }: MessageEvent<Heard>) => {
    if (data.kind === 'frame') return socket?.send(data.pcm)
    const part = { id: data.id, ms: data.ms }
    played = part
    send({ type: data.kind, ...part })
  }
  connect()
  return {
    say: (text) => send({ type: 'text', text }),
    setMuted(isMuted) {
      for (const track of microphone.getTracks()) track.enabled = !isMuted
    },
    hangUp() {
      send({ type: 'bye' })
      // The service closes when everything is written; a caller who has hung up does not wait for long.
      setTimeout(() => end(null), 3_000)
    },
  }
}

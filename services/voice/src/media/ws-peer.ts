import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { MediaRequest, mediaCloseCodes, mediaFormat } from '@ratchet/contracts/voice/media-messages'
import { parseJson } from '@ratchet/service-kit/values/json'
import type { WebSocket } from 'ws'
import { createInflow } from './inflow.ts'
import { isReading } from './is-reading.ts'
import type { MediaPeer } from './media-peer.ts'

/** Bytes that wait for the caller: two seconds of audio. One that reads more slowly is disconnected. */
const maxBuffered = 64 * kibibyte
/** Between two pings. The answer to one waits behind all audio before it: a side that takes longer is gone, or does not read. */
const pingMs = 5_000

export interface WsPeerEvents {
  onMessage(message: MediaRequest): void
  onAudio(bytes: Buffer): void
  /** It was closed by the other side on purpose, or lost. */
  onClose(isOnPurpose: boolean): void
}

/** Time for the other side to answer a close. */
const closeMs = 2_000

/** Closes of a page that is left, and of a program that has finished. */
const purposeful: ReadonlySet<number> = new Set([1_000, 1_001])

/**
 * The caller's side on a WebSocket that does not answer pings by itself. It is disconnected when it does not read or answer pings, sends faster than in
 * real time, or sends what is not of the protocol.
 */
export function createWsPeer(
  websocket: WebSocket,
  { events, nowMs }: { readonly events: WsPeerEvents; readonly nowMs: () => number },
): MediaPeer {
  const inflow = createInflow(nowMs)
  let hasAnswered = true
  const watch = setInterval(() => {
    if (!hasAnswered) return websocket.terminate()
    hasAnswered = false
    websocket.ping()
  }, pingMs).unref()
  const violate = () => {
    websocket.close(mediaCloseCodes.protocol)
    // What else it sends is not even read.
    websocket.pause()
    setTimeout(() => websocket.terminate(), closeMs).unref()
  }

  websocket
    .on('message', (data: Buffer, isBinary: boolean) => {
      if (websocket.readyState !== websocket.OPEN) return
      if (!inflow.acceptsFrame()) return violate()
      if (isBinary) {
        const isFrames = data.length > 0 && data.length % 2 === 0
        if (!isFrames || !inflow.acceptsAudio(data.length / 2 / (mediaFormat.sampleRate / 1000))) return violate()
        events.onAudio(data)
        return
      }
      const message = MediaRequest.safeParse(parseJson(data.toString()))
      if (!message.success || !inflow.acceptsMessage(message.data)) return violate()
      events.onMessage(message.data)
    })
    .on('ping', (data: Buffer) => {
      if (!isReading(websocket, maxBuffered)) return
      if (inflow.acceptsFrame()) websocket.pong(data)
      else violate()
    })
    .on('pong', () => {
      hasAnswered = true
      if (websocket.readyState === websocket.OPEN && !inflow.acceptsFrame()) violate()
    })
    // What is no WebSocket any more, or too long, is not read on.
    .on('error', () => setTimeout(() => websocket.terminate(), closeMs).unref())
    .once('close', (code: number) => {
      clearInterval(watch)
      events.onClose(purposeful.has(code))
    })

  return {
    send(message) {
      if (isReading(websocket, maxBuffered)) websocket.send(JSON.stringify(message))
    },
    sendAudio(frame) {
      if (isReading(websocket, maxBuffered))
        websocket.send(new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength))
    },
    close(code) {
      websocket.close(code)
      setTimeout(() => websocket.terminate(), closeMs).unref()
    },
    terminate: () => websocket.terminate(),
  }
}

import type { CallLine } from '../calls/call-line.ts'
import { createStreamTransport, type StreamPeer, type StreamTransport } from './create-stream-transport.ts'

/** The side of a line that its connection needs. */
export interface StreamLine extends CallLine {
  readonly transport: StreamTransport
  takeAudio(payload: Uint8Array): void
}

export interface StreamLinePeer extends StreamPeer {
  close(): void
  readonly isOpen: boolean
}

/** Without audio of the carrier for this long, nobody is there any more. */
const noMediaMs = 15_000

/**
 * The line of a call whose carrier streams it. When it is closed, the carrier asks what follows, and is told to hang up or to
 * connect with another worker: so every end of the line is the same.
 */
export function createStreamLine(
  peer: StreamLinePeer,
  { nowMs, onNoMedia }: { readonly nowMs: () => number; readonly onNoMedia: () => void },
): StreamLine {
  let heardAtMs = nowMs()
  const transport = createStreamTransport(peer, nowMs)
  return {
    transport,
    takeAudio(payload) {
      heardAtMs = nowMs()
      transport.takeAudio(payload)
    },
    connect: (events) => transport.connect(events),
    begin: () => undefined,
    passFrame() {
      transport.passFrame()
      if (nowMs() - heardAtMs < noMediaMs) return
      heardAtMs = nowMs()
      onNoMedia()
    },
    show: () => undefined,
    transfer: null,
    press(keys) {
      if (peer.isOpen) transport.press(keys)
      return peer.isOpen
    },
    close: () => peer.close(),
  }
}

import { publicId } from '@ratchet/contracts/public-id'
import { mediaCloseCodes, mediaFormat } from '@ratchet/contracts/voice/media-messages'
import type { CallLine, HeldOutcome } from '../calls/call-line.ts'
import type { MediaPeer } from './media-peer.ts'
import { createWebTransport, type WebTransport } from './web-transport.ts'

export interface WebLine extends CallLine {
  readonly transport: WebTransport
}

/** The line of a web call: the caller's side on its connection. */
export function createWebLine(peer: MediaPeer): WebLine {
  const transport = createWebTransport(peer, () => undefined)
  return {
    transport,
    connect: (events) => transport.connect(events),
    begin({ callId, resumeToken: resume_token, isResumed: resumed }) {
      const { sampleRate: sample_rate, frameMs: frame_ms } = mediaFormat
      peer.send({ type: 'ready', call_id: publicId('call', callId), resume_token, resumed, sample_rate, frame_ms })
    },
    passFrame: () => transport.passFrame(),
    show: (message) => peer.send(message),
    transfer: null,
    press: null,
    close: (outcome) => closePeer(peer, outcome),
  }
}

function closePeer(peer: MediaPeer, { kind }: HeldOutcome): void {
  if (kind === 'ended') peer.close(mediaCloseCodes.ended)
  else if (kind === 'leaving') peer.close(mediaCloseCodes.restart)
  else if (kind === 'moved') peer.close(mediaCloseCodes.moved)
  else peer.terminate()
}

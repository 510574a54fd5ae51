import type { MediaReply } from '@ratchet/contracts/voice/media-messages'

/** The other side of the WebSocket of a web call. */
export interface MediaPeer {
  /** Sends nothing to one that does not read, which is disconnected. */
  send(message: MediaReply): void
  /** @param frame it must not change afterwards */
  sendAudio(frame: Int16Array): void
  /** After all that was sent. */
  close(code: number): void
  terminate(): void
}

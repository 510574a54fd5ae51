import type { WebSocket } from 'ws'

/**
 * Whether something may be sent on a WebSocket. One whose other side reads too slowly is disconnected.
 *
 * @param maxBuffered bytes that may wait
 */
export function isReading(websocket: WebSocket, maxBuffered: number): boolean {
  if (websocket.readyState !== websocket.OPEN) return false
  if (websocket.bufferedAmount <= maxBuffered) return true
  websocket.terminate()
  return false
}

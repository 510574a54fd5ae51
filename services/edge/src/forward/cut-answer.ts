import type { ServerResponse } from 'node:http'

/**
 * Ends a connection in the middle of an answer: what was written is delivered, and nobody can take
 * the end for a clean one. An answer whose length is only told by the connection's end (HTTP/1.0)
 * has no other sign than a reset.
 */
export function cutAnswer(response: ServerResponse, maxDeliveryMs: number): void {
  const { socket } = response
  // Behind another answer on its connection: it will be ended when its turn comes.
  if (socket === null) return void response.destroy()
  if (response.req.httpVersion === '1.0') return void socket.resetAndDestroy()
  socket.setTimeout(maxDeliveryMs, () => socket.destroy())
  socket.destroySoon()
}

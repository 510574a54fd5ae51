import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The open connections of a server, and which of them are in the middle of an exchange. */
export interface TrackedConnections {
  /** Serves as the given listener does, and notes it. */
  readonly listener: RequestListener
  /** For the server's `connection` event. */
  readonly onConnection: (socket: Socket) => void
  /**
   * Closes every connection without a running exchange, those included that never sent a whole request:
   * Node takes them for busy, and a closed server no longer times them out.
   */
  closeUnused(): void
}

/** Wraps a server's listener so that its connections can be told apart. */
export function trackConnections(listener: RequestListener): TrackedConnections {
  /** The last answer begun on each open connection: answers on one connection end in order. */
  const open = new Map<Socket, ServerResponse | null>()
  return {
    listener(request, response) {
      open.set(request.socket, response)
      return listener(request, response)
    },
    onConnection(socket) {
      open.set(socket, null)
      socket.once('close', () => open.delete(socket))
    },
    closeUnused() {
      for (const [socket, answer] of open) if (answer === null || answer.writableFinished) socket.destroySoon()
    },
  }
}

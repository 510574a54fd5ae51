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
  const open = new Set<Socket>()
  const answers = new Set<ServerResponse>()
  return {
    listener(request, response) {
      answers.add(response)
      response.once('close', () => answers.delete(response))
      return listener(request, response)
    },
    onConnection(socket) {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    },
    closeUnused() {
      const busy = new Set([...answers].map(({ req }) => req.socket))
      for (const socket of open) if (!busy.has(socket)) socket.destroySoon()
    },
  }
}

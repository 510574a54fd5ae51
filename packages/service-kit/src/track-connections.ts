import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The open connections of a server, and which of them are in the middle of an exchange. */
export interface TrackedConnections {
  /** Serves as the given listener does, and notes it. */
  readonly listener: RequestListener
  /** For the server's `connection` event. */
  readonly onConnection: (socket: Socket) => void
  /**
   * Closes every connection that had no running exchange in two calls `idleMs` apart and between them, those included that
   * never sent a whole request: Node takes them for busy, and a closed server no longer times them out.
   *
   * @param idleMs 0 closes every one that has none now
   */
  closeUnused(idleMs: number): void
}

/** When a connection was first seen without an exchange, and behind which answer. */
interface Idle {
  readonly behind: ServerResponse | null
  readonly sinceMs: number
}

/** Wraps a server's listener so that its connections can be told apart. */
export function trackConnections(listener: RequestListener): TrackedConnections {
  /** The last answer begun on each open connection: answers on one connection end in order. */
  const open = new Map<Socket, ServerResponse | null>()
  const idle = new WeakMap<Socket, Idle>()
  const idleSince = (socket: Socket, behind: ServerResponse | null, nowMs: number): number => {
    const known = idle.get(socket)
    if (known?.behind === behind) return known.sinceMs
    idle.set(socket, { behind, sinceMs: nowMs })
    return nowMs
  }
  return {
    listener(request, response) {
      open.set(request.socket, response)
      return listener(request, response)
    },
    onConnection(socket) {
      open.set(socket, null)
      socket.once('close', () => open.delete(socket))
    },
    closeUnused(idleMs) {
      const nowMs = performance.now()
      for (const [socket, answer] of open) {
        const isUnused = answer === null || answer.writableFinished
        if (isUnused && nowMs - idleSince(socket, answer, nowMs) >= idleMs) socket.destroySoon()
      }
    },
  }
}

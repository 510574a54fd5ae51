import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createWaitingRequests, isUnanswered } from './one-at-a-time.ts'

/** The open connections of a server, and which of them have a running request. */
export interface TrackedConnections {
  /** Calls the given listener, for one request of each connection at a time, and records the request. */
  readonly listener: RequestListener
  /** For the server's `connection` event. */
  readonly onConnection: (socket: Socket) => void
  /** Forgets a connection that has another owner now. @returns false when an earlier request has no answer yet */
  release(socket: Socket): boolean
  /**
   * Closes connections that had no running request for `idleMs`, including those that never sent a whole request: Node
   * treats these as busy, and a closed server does not time them out.
   *
   * @param idleMs 0 closes all that have none now
   */
  closeUnused(idleMs: number): void
}

/** Since when a connection has no running request, and its last answer. */
interface Idle {
  readonly behind: ServerResponse | null
  readonly sinceMs: number
}

/** Wraps a server's listener in order to track its connections. */
export function trackConnections(listener: RequestListener): TrackedConnections {
  /** The answer to the last request of each open connection. Answers on one connection end in order. */
  const open = new Map<Socket, ServerResponse | null>()
  const waiting = createWaitingRequests(listener)
  const idle = new WeakMap<Socket, Idle>()
  const idleSince = (socket: Socket, behind: ServerResponse | null, nowMs: number): number => {
    const known = idle.get(socket)
    if (known?.behind === behind) return known.sinceMs
    idle.set(socket, { behind, sinceMs: nowMs })
    return nowMs
  }
  return {
    listener(request, response) {
      const before = open.get(request.socket)
      open.set(request.socket, response)
      if (isUnanswered(before)) return waiting.add(before, request, response)
      return listener(request, response)
    },
    onConnection(socket) {
      open.set(socket, null)
      socket.once('close', () => open.delete(socket))
    },
    release(socket) {
      const before = open.get(socket)
      open.delete(socket)
      return !isUnanswered(before)
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

import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'

export interface WatchBodiesOptions {
  readonly listener: RequestListener
  /** Milliseconds within which the rest of a body has to arrive, or `minBytes` of it. */
  readonly windowMs: number
  readonly minBytes: number
  /** Interval of the checks, milliseconds. */
  readonly everyMs: number
  readonly onStalled: (socket: Socket) => void
}

export interface WatchedBodies {
  /** Calls the given listener, and watches the rest of each request. */
  readonly listener: RequestListener
  /** Number of bodies that are watched now. */
  readonly count: () => number
  stop(): void
}

/**
 * Distinguishes slow clients from large bodies, which Node's own `requestTimeout` does not: a client must keep sending,
 * and may then send for as long as its body takes.
 */
export function watchBodies({ listener, windowMs, minBytes, everyMs, onStalled }: WatchBodiesOptions): WatchedBodies {
  /** Bytes of each body at the start of its window. */
  const windows = new Map<IncomingMessage, { atMs: number; bytes: number }>()
  const look = () => {
    const nowMs = performance.now()
    for (const [request, window] of windows) {
      const { socket, complete } = request
      if (complete) windows.delete(request)
      if (complete || nowMs - window.atMs < windowMs) continue
      if (socket.bytesRead - window.bytes < minBytes) onStalled(socket)
      window.atMs = nowMs
      window.bytes = socket.bytesRead
    }
  }
  const timer = setInterval(look, everyMs).unref()
  return {
    listener(request, response) {
      if (hasBody(request)) {
        windows.set(request, { atMs: performance.now(), bytes: request.socket.bytesRead })
        // A request whose body was not read by events does not close before its connection does.
        const forget = () => request.complete && windows.delete(request)
        response.once('close', forget)
        request.once('close', () => windows.delete(request))
      }
      return listener(request, response)
    },
    count: () => windows.size,
    stop: () => clearInterval(timer),
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

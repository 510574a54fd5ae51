import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'

export interface WatchBodiesOptions {
  readonly listener: RequestListener
  /** Milliseconds within which the first byte of a body has to arrive. */
  readonly firstByteMs: number
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
export function watchBodies(options: WatchBodiesOptions): WatchedBodies {
  const { listener, firstByteMs, windowMs, minBytes, everyMs, onStalled } = options
  /** Bytes of each body at the start of its window. */
  const windows = new Map<IncomingMessage, { atMs: number; bytes: number }>()
  /** Runs only while bodies are watched, so that an idle process sleeps. */
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  const look = () => {
    const nowMs = performance.now()
    for (const [request, window] of windows) {
      const { socket, complete } = request
      if (complete) windows.delete(request)
      if (complete) continue
      const begun = hasBegun(request)
      if (nowMs - window.atMs < (begun ? windowMs : firstByteMs)) continue
      if (!begun || socket.bytesRead - window.bytes < minBytes) onStalled(socket)
      window.atMs = nowMs
      window.bytes = socket.bytesRead
    }
    if (windows.size === 0) stop()
  }
  return {
    listener(request, response) {
      if (hasBody(request)) {
        timer ??= setInterval(look, everyMs).unref()
        windows.set(request, { atMs: performance.now(), bytes: request.socket.bytesRead })
        // A request whose body was not read by events does not close before its connection does.
        const forget = () => request.complete && windows.delete(request)
        response.once('close', forget)
        request.once('close', () => windows.delete(request))
      }
      return listener(request, response)
    },
    count: () => windows.size,
    stop,
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Whether a byte of the body has arrived, read or not. */
function hasBegun({ readableDidRead, readableLength }: IncomingMessage): boolean {
  return readableDidRead || readableLength > 0
}

import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Drain } from './drain.ts'
import type { Lifecycle } from './run-process.ts'
import { ServiceError, toEnvelope } from './service-error.ts'

export interface ServeOptions {
  readonly listener: RequestListener
  /** 0 picks a free port. */
  readonly port: number
  readonly host: string
  readonly drain: Drain
  readonly drainDelayMs: number
  readonly drainTimeoutMs: number
  readonly lifecycle: Lifecycle
}

/** Time that ended exchanges get to write their last bytes after the drain deadline, milliseconds. */
const lastWordsMs = 5_000

/**
 * Listens and resolves with the bound port. Slow clients are cut off (10 s for the head, 60 s for the
 * body). Stopping is polite: fail readiness and ask clients to leave, wait `drainDelayMs`, refuse new
 * connections, let exchanges finish for `drainTimeoutMs`, then expire the drain.
 */
export async function serveHttp(options: ServeOptions): Promise<number> {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      noDelay: true,
    },
    options.listener,
  )
  server.on('clientError', answerUnreadableRequest)
  server.listen(options.port, options.host)
  await once(server, 'listening')
  options.lifecycle.onStop(() => stopPolitely(server, options))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
  return address.port
}

async function stopPolitely(server: Server, { drain, drainDelayMs, drainTimeoutMs, lifecycle }: ServeOptions) {
  drain.begin()
  await atMost(drainDelayMs, lifecycle.hurry)
  const closed = once(server, 'close')
  server.close()
  const sweep = setInterval(() => server.closeIdleConnections(), Math.min(1_000, drainTimeoutMs + 1))
  server.closeIdleConnections()
  await Promise.race([closed, atMost(drainTimeoutMs, lifecycle.hurry)])
  drain.expire()
  await Promise.race([closed, atMost(lastWordsMs)])
  clearInterval(sweep)
  server.closeAllConnections()
  await closed
}

/** Resolves after `ms`, or at once when the signal aborts. Keeps no process alive. */
function atMost(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms === 0 || signal?.aborted === true) return resolve()
    const timer = setTimeout(resolve, ms)
    timer.unref()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** What cannot be parsed as HTTP never reaches the app; it gets the envelope all the same. */
function answerUnreadableRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy()
  const [statusLine, failure] = unreadable(error.code)
  const body = JSON.stringify(toEnvelope(failure, ''))
  socket.end(
    `HTTP/1.1 ${statusLine}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

function unreadable(code: string | undefined): [string, ServiceError] {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', new ServiceError('request_timeout', 'The request took too long to arrive.')]
    case 'HPE_HEADER_OVERFLOW':
      return ['431 Request Header Fields Too Large', new ServiceError('invalid_request', 'The headers are too large.')]
    default:
      return ['400 Bad Request', new ServiceError('invalid_request', 'This is not a well-formed HTTP request.')]
  }
}

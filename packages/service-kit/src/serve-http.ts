import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Drain } from './drain.ts'
import { uuidV7 } from './ids.ts'
import type { Lifecycle } from './run-process.ts'
import { ServiceError, toEnvelope } from './service-error.ts'
import { type TrackedConnections, trackConnections } from './track-connections.ts'
import { watchBodies } from './watch-bodies.ts'

export interface ServeOptions {
  readonly listener: RequestListener
  /** 0 picks a free port. */
  readonly port: number
  readonly host: string
  readonly drain: Drain
  readonly drainDelayMs: number
  readonly drainTimeoutMs: number
  readonly lifecycle: Lifecycle
  /**
   * True where anyone may connect: the listener itself judges a missing Host and an Expect header, and
   * says `100 Continue` when it wants the body.
   */
  readonly isPublic?: boolean
  /** How fast a body has to arrive, where not as usual. */
  readonly bodyPace?: Partial<typeof bodyPace>
  /** Hears that exchanges were still running when the drain ran out. */
  readonly onOverrun?: () => void
}

/** Milliseconds in which the rest of a body has to arrive, or this many bytes of it. */
const bodyPace = { windowMs: 60_000, minBytes: 2 * 1024 * 1024, everyMs: 1_000 }

/**
 * What clients are told that a connection without a request lasts, and what it does last, milliseconds. Who keeps to the
 * first, or to less, never asks on a connection that is just being closed, neither here nor by a process that stops.
 */
const keepAlive = { advertisedMs: 5_000, actualMs: 65_000 }

/** Time that ended exchanges get to write their last bytes after the drain deadline, milliseconds. */
const lastWordsMs = 5_000

/**
 * Listens and resolves with the bound port. Slow clients are cut off: 10 s for the head; 60 s for the body, or for the
 * next 2 MB of it. Stopping is polite: fail readiness and ask clients to leave, wait `drainDelayMs`, refuse new
 * connections, let exchanges finish for `drainTimeoutMs`, then expire the drain. A connection whose exchange has ended is
 * left to its client for as long as clients keep one: closed sooner, it could be in the face of the next request.
 */
export async function serveHttp(options: ServeOptions): Promise<number> {
  const bodies = watchBodies({
    ...bodyPace,
    ...options.bodyPace,
    listener: options.listener,
    onStalled: answerSlowBody,
  })
  const connections = trackConnections(bodies.listener)
  const { listener, onConnection } = connections
  const server = createServer(
    {
      headersTimeout: 10_000,
      // It would count how long a body takes, however large it is.
      requestTimeout: 0,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: keepAlive.advertisedMs,
      keepAliveTimeoutBuffer: keepAlive.actualMs - keepAlive.advertisedMs,
      noDelay: true,
      requireHostHeader: options.isPublic !== true,
    },
    listener,
  )
  server.on('connection', onConnection)
  server.on('clientError', answerUnreadableRequest)
  server.on('connect', refuseTunnel)
  if (options.isPublic === true) server.on('checkContinue', listener).on('checkExpectation', listener)
  server.listen(options.port, options.host)
  await once(server, 'listening')
  options.lifecycle.onStop(() => stopPolitely({ ...options, server, connections }).finally(bodies.stop))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
  return address.port
}

interface Stopping extends ServeOptions {
  readonly server: Server
  readonly connections: TrackedConnections
}

async function stopPolitely({ server, connections, drain, drainDelayMs, drainTimeoutMs, ...rest }: Stopping) {
  const { lifecycle, onOverrun } = rest
  drain.begin()
  // Where nobody has to learn that this process goes, nobody is waited for either.
  const idleMs = Math.min(keepAlive.advertisedMs, drainDelayMs)
  const isOver = () => lifecycle.hurry.aborted || drain.deadline.aborted
  const closeUnused = () => connections.closeUnused(isOver() ? 0 : idleMs)
  const sweep = setInterval(closeUnused, Math.min(1_000, drainTimeoutMs + 1))
  closeUnused()
  await atMost(drainDelayMs, lifecycle.hurry)
  const closed = once(server, 'close')
  // The close of an HTTP server would end idle connections with it.
  NetServer.prototype.close.call(server)
  closeUnused()
  const isEmpty = closed.then(() => true)
  const wasEmptied = await Promise.race([isEmpty, atMost(drainTimeoutMs, lifecycle.hurry).then(() => false)])
  if (!wasEmptied) onOverrun?.()
  drain.expire()
  closeUnused()
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
function answerUnreadableRequest(
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: ServerResponse | null },
): void {
  // As Node's own handler does: an answer that has begun can only be cut.
  if (!socket.writable || socket._httpMessage?.headersSent === true) return void socket.destroy()
  answerWithoutApp(socket, ...unreadable(error.code))
}

/** As Node's `requestTimeout` would. */
function answerSlowBody(socket: Socket): void {
  answerUnreadableRequest(
    Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
  )
}

function refuseTunnel(_request: IncomingMessage, socket: Duplex): void {
  answerWithoutApp(socket, '400 Bad Request', new ServiceError('invalid_request', 'CONNECT is not answered here.'))
}

function answerWithoutApp(socket: Duplex, statusLine: string, failure: ServiceError): void {
  const requestId = uuidV7(Date.now())
  const body = JSON.stringify(toEnvelope(failure, requestId))
  const head = [
    `HTTP/1.1 ${statusLine}`,
    `x-request-id: ${requestId}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ]
  socket.on('error', () => undefined)
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
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

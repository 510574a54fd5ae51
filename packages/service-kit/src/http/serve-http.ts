import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Drain } from '../process/drain.ts'
import type { Lifecycle } from '../process/run-process.ts'
import { uuidV7 } from '../values/ids.ts'
import { ServiceError, toEnvelope } from './service-error.ts'
import { type TrackedConnections, trackConnections } from './track-connections.ts'
import { type WatchedBodies, watchBodies } from './watch-bodies.ts'

export interface ServeOptions {
  readonly listener: RequestListener
  /** Takes over connections whose requests ask for another protocol; absent: such a request is an ordinary one. */
  readonly upgrades?: Upgrades | undefined
  /** 0 picks a free port. */
  readonly port: number
  readonly host: string
  readonly drain: Drain
  readonly drainDelayMs: number
  readonly drainTimeoutMs: number
  readonly lifecycle: Lifecycle
  /**
   * True for the public listener: the app itself checks a missing Host and an Expect header, and sends `100 Continue`
   * when it accepts the body.
   */
  readonly isPublic?: boolean
  /** Minimum speed of bodies, if not the default. */
  readonly bodyPace?: Partial<typeof bodyPace>
  /** Further HTTP listeners of the same process; they drain and close together with the first. */
  readonly alsoAt?: readonly HttpListener[] | undefined
  /** Serves further connections, and stops together with this server. */
  readonly beside?: SideListener | undefined
  /** Called when requests are still running at the end of the drain. */
  readonly onOverrun?: () => void
}

export interface HttpListener extends Pick<ServeOptions, 'listener' | 'upgrades'> {
  readonly port: number
}

/** Another protocol on connections that begin with an HTTP request. */
export interface Upgrades {
  /** Any other request is an ordinary one. Never throws. */
  accepts(request: IncomingMessage): boolean
  /** Owns the connection from now on, and has to close it before the end of the drain. */
  take(request: IncomingMessage, socket: Socket, head: Buffer): void
}

/** A listener of another protocol in the same process. */
export interface SideListener {
  /** Takes no connections any more, and requests its peers to send no new requests. */
  drain(): void
  /** Resolves when no connection is open. */
  closed(): Promise<void>
  /** Closes all connections. */
  destroy(): void
}

/** Its first byte must arrive in `firstByteMs`; then in each window, milliseconds, the rest of it or `minBytes`. */
const bodyPace = { firstByteMs: 10_000, windowMs: 60_000, minBytes: 2 * mebibyte, everyMs: 1_000 }

/**
 * Time for which a connection without a request is kept, milliseconds: as advertised to clients and as it is. A client
 * that keeps to the advertised time never sends a request on a connection that is being closed.
 */
const keepAlive = { advertisedMs: 5_000, actualMs: 65_000 }

/** Time for requests to write their last bytes after the drain deadline, milliseconds. */
const lastBytesMs = 5_000

/**
 * Listens and resolves with the bound port. A connection has one running request at a time. Slow clients are disconnected:
 * they have 10 s for the head, 10 s until the body begins, and 60 s for the body or for the next 2 MB of it. To stop, it fails
 * readiness and sends `Connection: close`, waits `drainDelayMs`, refuses new connections, lets requests finish for
 * `drainTimeoutMs`, then expires the drain. A connection without a running request is kept for the advertised time, because
 * closing it earlier could break the client's next request.
 */
export async function serveHttp(options: ServeOptions): Promise<number> {
  const first = await open(options, options)
  const servers = [first]
  const stopWatching = () => {
    for (const { bodies } of servers) bodies.stop()
  }
  options.lifecycle.onStop(() => drainAndClose({ ...options, servers }).finally(stopWatching))
  for (const other of options.alsoAt ?? []) servers.push(await open(other, options))
  return first.port
}

/** A server that listens. */
interface OpenServer {
  readonly server: Server
  readonly connections: TrackedConnections
  readonly bodies: WatchedBodies
  readonly port: number
}

async function open(at: HttpListener, { host, isPublic, bodyPace: pace }: ServeOptions): Promise<OpenServer> {
  const bodies = watchBodies({ ...bodyPace, ...pace, listener: at.listener, onStalled: answerSlowBody })
  const connections = trackConnections(bodies.listener)
  const { listener, onConnection } = connections
  const server = createServer(
    {
      headersTimeout: 10_000,
      // Node's limit does not depend on the size of a body.
      requestTimeout: 0,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: keepAlive.advertisedMs,
      keepAliveTimeoutBuffer: keepAlive.actualMs - keepAlive.advertisedMs,
      noDelay: true,
      requireHostHeader: isPublic !== true,
      shouldUpgradeCallback: (request) => at.upgrades?.accepts(request) === true,
    },
    listener,
  )
  server.on('connection', onConnection)
  server.on('clientError', answerUnreadableRequest)
  server.on('connect', refuseTunnel)
  server.on('upgrade', (request, socket, head) => {
    // Two answers cannot be written at the same time, and no client that waits for the first one asks for an upgrade.
    if (!connections.release(socket as Socket)) return void socket.destroy()
    at.upgrades?.take(request, socket as Socket, head)
  })
  if (isPublic === true) server.on('checkContinue', listener).on('checkExpectation', listener)
  server.listen(at.port, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
  return { server, connections, bodies, port: address.port }
}

interface Stopping extends ServeOptions {
  readonly servers: readonly OpenServer[]
}

async function drainAndClose({ servers, drain, drainDelayMs, drainTimeoutMs, ...rest }: Stopping) {
  const { lifecycle, onOverrun, beside } = rest
  drain.begin()
  beside?.drain()
  // Without a drain delay, idle connections are closed immediately.
  const idleMs = Math.min(keepAlive.advertisedMs, drainDelayMs)
  const isOver = () => lifecycle.hurry.aborted || drain.deadline.aborted
  const closeUnused = () => {
    for (const { connections } of servers) connections.closeUnused(isOver() ? 0 : idleMs)
  }
  const sweep = setInterval(closeUnused, Math.min(1_000, drainTimeoutMs + 1))
  closeUnused()
  await atMost(drainDelayMs, lifecycle.hurry)
  const closed = Promise.all([...servers.map(({ server }) => once(server, 'close')), beside?.closed()])
  // The HTTP server's own close() would also end idle connections.
  for (const { server } of servers) NetServer.prototype.close.call(server)
  closeUnused()
  const isEmpty = closed.then(() => true)
  const wasEmptied = await Promise.race([isEmpty, atMost(drainTimeoutMs, lifecycle.hurry).then(() => false)])
  if (!wasEmptied) onOverrun?.()
  drain.expire()
  closeUnused()
  await Promise.race([closed, atMost(lastBytesMs)])
  clearInterval(sweep)
  for (const { server } of servers) server.closeAllConnections()
  beside?.destroy()
  await closed
}

/** Resolves after `ms`, or when the signal aborts. It does not keep the process alive. */
function atMost(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms === 0 || signal?.aborted === true) return resolve()
    const timer = setTimeout(resolve, ms)
    timer.unref()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Answers requests that are not valid HTTP, which the app does not receive, with the envelope. */
function answerUnreadableRequest(
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: ServerResponse | null },
): void {
  if (error.code === 'ECONNRESET') noteLostPeer(socket)
  // As in Node's own handler: an answer that has begun can only be cut.
  if (!socket.writable || socket._httpMessage?.headersSent === true) return void socket.destroy()
  answerWithoutApp(socket, ...unreadable(error.code))
}

/** A peer that ends, or leaves a request, closes its connection in order. One that resets it could not do so. */
function noteLostPeer({ _httpMessage: response }: { readonly _httpMessage?: ServerResponse | null }): void {
  if (response !== null && response !== undefined) Object.assign(response, { isPeerLost: true })
}

/** Like Node's `requestTimeout`. */
function answerSlowBody(socket: Socket): void {
  answerUnreadableRequest(
    Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
  )
}

function refuseTunnel(_request: IncomingMessage, socket: Duplex): void {
  answerWithoutApp(socket, '400 Bad Request', new ServiceError('invalid_request', 'CONNECT is not supported.'))
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

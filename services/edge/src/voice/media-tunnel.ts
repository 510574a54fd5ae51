import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { openConnection } from '@ratchet/http/open-connection'
import type { Upgrades } from '@ratchet/service-kit/http/serve-http'
import type { ClientAddressOf } from '../admission/client-address.ts'

export interface MediaTunnelOptions {
  /** `http://host:port` of workers. */
  readonly origin: string
  readonly clientAddressOf: ClientAddressOf
  readonly newId: () => string
  /** Aborts at the end of a drain: what is still open is closed. */
  readonly deadline: AbortSignal
  /** Connections that are open at the same time. */
  readonly maxOpen?: number
  /** Of one client address. */
  readonly maxOpenPerAddress?: number
  readonly connectTimeoutMs?: number
}

/** Of callers, and of carriers with the token that they were given. */
const path = /^\/media\/call_[0-9a-f]{32}(?:\/(?:twilio|telnyx)\/[A-Za-z0-9_-]{43})?$/
const carrierPath = /^\/media\/[^/?]+\/(?:twilio|telnyx)\//
/** Headers of a WebSocket's request. Nothing else of a client reaches a worker. */
const passed = new Set([
  'upgrade',
  'connection',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
])

/**
 * Joins WebSockets of callers with workers, byte for byte. A worker lets in who has a token of the call, so no key is asked for. Any
 * worker may take a call; when one has no room, the client tries again.
 */
export function createMediaTunnel(options: MediaTunnelOptions): Upgrades {
  const { origin, clientAddressOf, newId, deadline, connectTimeoutMs = 2_000 } = options
  const { maxOpen = 2_000, maxOpenPerAddress = 100 } = options
  const open = new Map<Socket, string>()
  deadline.addEventListener('abort', () => {
    for (const socket of open.keys()) socket.destroy()
  })

  function hasRoom(address: string, most: number): boolean {
    if (open.size >= maxOpen) return false
    let ofAddress = 0
    for (const other of open.values()) if (other === address) ofAddress += 1
    return ofAddress < most
  }

  return {
    accepts: ({ method, headers, url = '' }) =>
      method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && path.test(url.split('?')[0] ?? ''),
    take(request, socket, head) {
      const requestId = newId()
      const address = clientAddressOf(request)
      // Calls of many callers come from few addresses of a carrier.
      const isOfCarrier = carrierPath.test(request.url ?? '')
      if (!hasRoom(address, isOfCarrier ? maxOpen / 2 : maxOpenPerAddress)) return refuse(socket, requestId)
      open.set(socket, address)
      socket.on('close', () => open.delete(socket))
      join(request, { socket, head, requestId, worker: openConnection(origin), connectTimeoutMs })
    },
  }
}

interface Joined {
  readonly socket: Socket
  readonly head: Buffer
  readonly requestId: string
  readonly worker: Socket
  readonly connectTimeoutMs: number
}

function join(request: IncomingMessage, { socket, head, requestId, worker, connectTimeoutMs }: Joined): void {
  const late = setTimeout(() => worker.destroy(), connectTimeoutMs)
  let isConnected = false
  worker.on('connect', () => {
    clearTimeout(late)
    isConnected = true
    worker.write(headOf(request, requestId))
    worker.write(head)
    socket.pipe(worker)
    worker.pipe(socket)
  })
  for (const side of [socket, worker]) side.on('error', () => undefined)
  socket.on('close', () => worker.destroy())
  worker.on('close', () => {
    clearTimeout(late)
    if (isConnected) socket.destroySoon()
    else refuse(socket, requestId)
  })
}

function headOf({ url = '/', headers }: IncomingMessage, requestId: string): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    passed.has(name) && value !== undefined ? [`${name}: ${String(value)}`] : [],
  )
  return [`GET ${url} HTTP/1.1`, 'host: voice-worker', ...lines, `x-request-id: ${requestId}`, '', ''].join('\r\n')
}

/** The client tries again. */
function refuse(socket: Socket, requestId: string): void {
  socket.on('error', () => undefined)
  const body = JSON.stringify({
    error: { message: 'No worker takes calls at the moment.', code: 'SERVICE_UNAVAILABLE' },
  })
  const head = [
    'HTTP/1.1 503 Service Unavailable',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'retry-after: 1',
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { maxInferenceBodyBytes } from '@ratchet/contracts/calls-model'
import { requestIdHeader } from '@ratchet/contracts/identity'
import { createResponse } from '@ratchet/contracts/responses'
import { createTurns } from '@ratchet/http/turns'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import type { Upgrades } from '@ratchet/service-kit/http/serve-http'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Drain } from '@ratchet/service-kit/process/drain'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { type WebSocket, WebSocketServer } from 'ws'
import { authorize, findEndpoint, type Identify } from '../admission/admit-request.ts'
import { cleanTarget } from '../admission/clean-target.ts'
import { type Cors, mayOpenSocket } from '../admission/cors.ts'
import type { EndpointIndex } from '../admission/endpoint-index.ts'
import { ownTarget } from '../admission/own-target.ts'
import { contextOf, type EdgeRequest, type Fail } from '../admission/request-context.ts'
import type { EdgeEvents } from '../events.ts'
import { ResponsesSocket } from './responses-socket.ts'
import { createSocketPeer, type SocketPeer } from './socket-peer.ts'
import { createUnstoredResponses } from './unstored-responses.ts'

export interface SocketLimits {
  /** Open WebSockets of one workspace at this edge. */
  readonly perWorkspace: number
  /** Milliseconds for which one may be open. */
  readonly maxAgeMs: number
  readonly pingMs: number
  /** Milliseconds in which a client may hardly read before it is disconnected; see `ReaderPaceOptions`. */
  readonly stalledClientMs: number
  /** Bytes of messages that all connections hold: those that arrive, wait, or are being sent. */
  readonly messageBytes: number
}

/** An hour, as with OpenAI. */
export const defaultSocketLimits: SocketLimits = {
  perWorkspace: 200,
  maxAgeMs: hourMs,
  pingMs: 30_000,
  stalledClientMs: 60_000,
  messageBytes: 128 * mebibyte,
}

export interface SocketsOptions {
  /** Gives the opening request its id, measures it, checks it, and answers what `admit` throws. */
  serveOpening(request: IncomingMessage, response: ServerResponse, admit: Admit): void
  readonly identify: Identify
  readonly index: EndpointIndex
  readonly cors: Cors | null
  /** The public listener, which takes every turn as a request of its own. */
  readonly listener: RequestListener
  readonly events: Pick<EdgeEvents, 'socketsOpen' | 'clientStalled'>
  readonly drain: Drain
  readonly limits: SocketLimits
  readonly newId: () => string
}

type Admit = (request: EdgeRequest, response: ServerResponse, fail: Fail) => void

/** Bytes of unstored responses that all connections keep for their next turns. */
const maxUnstoredBytes = 128 * mebibyte
/** Browsers can put a key into the name of a protocol, which an answer would repeat. */
const keyProtocol = 'openai-insecure-api-key.'
const turns = createTurns()

/**
 * WebSockets at `POST /v1/responses`, which is one of their turns. Who may call it may open one; every turn is checked
 * again, so a key that was revoked ends its WebSockets at their next turn.
 */
export function openSockets(options: SocketsOptions): Upgrades {
  const unstoredBudget = createBodyBudget(maxUnstoredBytes)
  const messageBudget = createBodyBudget(options.limits.messageBytes)
  const open = trackSockets(options)
  const server = createServer()

  function begin(request: EdgeRequest, socket: Socket, workspaceId: string, websocket: WebSocket): void {
    const { listener, newId, limits, events } = options
    const holdBody = () => messageBudget.enter(workspaceId)
    const unstored = createUnstoredResponses(unstoredBudget, { workspaceId, maxBytes: maxInferenceBodyBytes })
    const peer = createSocketPeer({
      websocket,
      socket,
      pingMs: limits.pingMs,
      stalledClientMs: limits.stalledClientMs,
      arriving: holdBody(),
      turns,
      newId,
      onMessage: (message) => responses.receive(message),
      onNoRoom: () => responses.refuseMessage(),
      onFlood: () => responses.retire('flood'),
      onDrained: () => responses.drained(),
      onStalled: () => events.clientStalled('inference'),
      onClose: () => {
        clearTimeout(age)
        responses.lost()
        open.delete(responses, workspaceId)
      },
    })
    const responses: ResponsesSocket = new ResponsesSocket({
      peer,
      opening: request,
      listener,
      unstored,
      holdBody,
      newId,
    })
    const age = setTimeout(() => responses.retire('age'), limits.maxAgeMs).unref()
    open.add(responses, peer, workspaceId)
  }

  return {
    accepts: ({ method, headers, url = '' }) =>
      method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && isSocketUrl(url),
    take(request, socket, head) {
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      // A client that does not end its side would keep the connection.
      response.once('finish', () => socket.end(() => socket.destroy()))
      socket.on('error', () => socket.destroy())
      open.opening(socket)
      const upgrade = (opening: EdgeRequest, workspaceId: string) => {
        if (socket.destroyed) return
        // Admitted at the same time as others.
        requireRoom(options, open.count(workspaceId))
        open.opened(socket)
        response.detachSocket(socket)
        response.statusCode = 101
        server.handleUpgrade(opening, socket, head, (websocket) => begin(opening, socket, workspaceId, websocket))
        response.emit('close')
      }
      options.serveOpening(request, response, (opening, _response, fail) => {
        admit(options, opening)
          .then((workspaceId) => upgrade(opening, workspaceId))
          .catch(fail)
      })
    },
  }
}

function createServer(): WebSocketServer {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxInferenceBodyBytes,
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: (offered) => [...offered].find((name) => !name.startsWith(keyProtocol)) ?? false,
  })
  return server.on('headers', (headers, request) => headers.push(`${requestIdHeader}: ${(request as EdgeRequest).id}`))
}

/** The WebSockets that are open or being opened. They end with the process: idle ones when it begins to drain, all at its deadline. */
function trackSockets({ drain, events }: Pick<SocketsOptions, 'drain' | 'events'>) {
  const open = new Map<ResponsesSocket, SocketPeer>()
  const opening = new Set<Socket>()
  const perWorkspace = new Map<string, number>()
  drain.begun.addEventListener('abort', () => {
    for (const each of open.keys()) each.retire('shutdown')
  })
  drain.deadline.addEventListener('abort', () => {
    for (const peer of open.values()) peer.terminate()
    for (const socket of opening) socket.destroy()
  })
  const count = (workspaceId: string) => perWorkspace.get(workspaceId) ?? 0
  const changed = (workspaceId: string, now: number) => {
    if (now === 0) perWorkspace.delete(workspaceId)
    else perWorkspace.set(workspaceId, now)
    events.socketsOpen(open.size)
  }
  return {
    count,
    opening(socket: Socket): void {
      opening.add(socket)
      socket.once('close', () => opening.delete(socket))
    },
    /** It is a WebSocket from now on. */
    opened(socket: Socket): void {
      opening.delete(socket)
    },
    add(socket: ResponsesSocket, peer: SocketPeer, workspaceId: string): void {
      open.set(socket, peer)
      changed(workspaceId, count(workspaceId) + 1)
    },
    delete(socket: ResponsesSocket, workspaceId: string): void {
      open.delete(socket)
      changed(workspaceId, count(workspaceId) - 1)
    },
  }
}

/**
 * Checks who opens a WebSocket, as for one of its turns.
 *
 * @returns the workspace
 */
async function admit({ identify, index, cors }: SocketsOptions, request: EdgeRequest): Promise<string> {
  const context = contextOf(request)
  request.routeName = context.target.path
  const identity = await identify(request)
  context.caller = identity
  authorize(findEndpoint(index, 'POST', context.target.path), identity)
  if (!mayOpenSocket(request.headers, cors)) throw foreignOrigin()
  return identity.workspaceId
}

/** @param count of the open WebSockets of the workspace */
function requireRoom({ drain, limits }: SocketsOptions, count: number): void {
  if (drain.draining) throw new ServiceError('service_unavailable', 'This process stops.', { retryAfterSeconds: 1 })
  if (count < limits.perWorkspace) return
  const message = `A workspace may have ${limits.perWorkspace} WebSockets.`
  throw new ServiceError('websocket_stream_limit_reached', message, { retryAfterSeconds: 1 })
}

function isSocketUrl(url: string): boolean {
  try {
    return ownTarget(cleanTarget(url)).target.path === createResponse.path
  } catch {
    return false
  }
}

function foreignOrigin(): ServiceError {
  return new ServiceError('insufficient_permissions', 'Pages of this origin may not open a WebSocket.')
}

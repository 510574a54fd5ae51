import { randomBytes } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import type { FramedRequest } from '@ratchet/service-kit/frames/framed-request'
import type { FramedResponse } from '@ratchet/service-kit/frames/framed-response'
import type { FramesAddress } from '@ratchet/service-kit/frames/frames-address'
import { type FrameServer, serveFrames } from '@ratchet/service-kit/frames/serve-frames'
import { deriveAudienceKey } from '@ratchet/service-kit/identity/identity'
import { eventually } from '@ratchet/testing/eventually'
import {
  type ScriptedService,
  startService,
  startTestEdge,
  type TestEdge,
  type TestEdgeOptions,
} from '../../edge.fixture.ts'

/* An edge in front of a service that takes requests in frames, and over HTTP from the same edge. */

export type FramedListener = (request: FramedRequest, response: FramedResponse) => void

export interface FramedEdge {
  readonly edge: TestEdge
  readonly frames: FrameServer
  /** The same service over HTTP. It answers "over http" with status 200. */
  readonly http: ScriptedService
  /** Reasons of connections that the service closed. */
  readonly refusals: string[]
  /** Sends a chat request through the edge. */
  send(options?: RequestInit): Promise<Response>
  /** Starts the listener for frames again, after it was destroyed. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface FramedEdgeOptions extends TestEdgeOptions {
  /** The address that the edge connects to, when it is not that of the service. */
  readonly through?: (address: FramesAddress) => Promise<FramesAddress>
  /** The secret that the service derives its key from, when it is not that of the edge. */
  readonly serviceSecret?: Buffer
  readonly awaitConnection?: boolean
}

const masterSecret = randomBytes(32)

export async function startFramedEdge(listener: FramedListener, options: FramedEdgeOptions = {}): Promise<FramedEdge> {
  const {
    through = async (address) => address,
    serviceSecret = masterSecret,
    awaitConnection = true,
    ...edgeOptions
  } = options
  const refusals: string[] = []
  const keys = [{ id: 'k1', secret: deriveAudienceKey(serviceSecret, 'inference') }]
  const listen = (address: FramesAddress) =>
    serveFrames(address, { keys, handle: listener, onRefused: (reason) => refusals.push(reason) })
  let frames = await listen({ host: '127.0.0.1', port: 0 })
  const http = await startService((request, response) => {
    request.resume().once('end', () => response.end('over http'))
  })
  const inferenceFrames = await through(frames.address)
  const edge = await startTestEdge({ origin: http.origin, masterSecret, inferenceFrames, ...edgeOptions })
  const key = edge.mint()
  const framed: FramedEdge = {
    edge,
    get frames() {
      return frames
    },
    http,
    refusals,
    send: ({ headers, ...init } = {}) =>
      fetch(`http://127.0.0.1:${edge.port}/v1/chat/completions`, {
        method: 'POST',
        body: '{}',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...(headers as object) },
        ...init,
      }),
    async restart() {
      frames = await listen(frames.address)
      await connected(edge)
    },
    async stop() {
      await edge.stop()
      frames.destroy()
      await http.stop()
    },
  }
  if (awaitConnection) await connected(edge)
  return framed
}

function connected(edge: TestEdge): Promise<void> {
  return eventually(async () => expect(await edge.metric('ratchet_edge_frames_connected')).toMatch(/} 1\n?$/m), {
    withinMs: 45_000,
  })
}

/** Reads the body of a request. */
export function bodyOf(request: FramedRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    request.on('data', (bytes: Buffer) => pieces.push(bytes))
    request.once('end', () => resolve(Buffer.concat(pieces)))
    request.once('close', () => reject(new Error('the body ended too soon')))
  })
}

/** A relay that a test lets change the bytes on their way to the service. */
export async function startRelay(target: FramesAddress, change: (bytes: Buffer) => Buffer | readonly Buffer[]) {
  const sockets = new Set<Socket>()
  const pairs: (readonly [Socket, Socket])[] = []
  const server = createServer((near) => {
    const far = connect(target as { host: string; port: number })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    near.on('data', (bytes: Buffer) => {
      for (const piece of [change(bytes)].flat() as Buffer[]) far.write(piece)
    })
    far.on('data', (bytes: Buffer) => near.write(bytes))
    pairs.push([near, far])
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    address: { host: '127.0.0.1', port } satisfies FramesAddress,
    /** Passes nothing on until `thaw`, like a process that is stopped. */
    freeze() {
      for (const socket of pairs.flat()) socket.pause()
    },
    thaw() {
      for (const socket of pairs.flat()) socket.resume()
    },
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import type { NamedKey } from '../identity/identity.ts'
import { FrameConnection, readRecords } from './frame-connection.ts'
import { FrameError } from './frame-format.ts'
import type { FramedRequest } from './framed-request.ts'
import type { FramedResponse } from './framed-response.ts'
import type { FramesAddress } from './frames-address.ts'
import { greet, maxHandshakeBytes, proveInference } from './handshake.ts'
import { maxSealedBytes } from './record-mac.ts'
import { createRecordReader } from './record-reader.ts'
import { ServedStreams } from './served-streams.ts'

export interface ServeFramesOptions {
  /** Identity keys of this service; a peer proves that it has one of them. */
  readonly keys: readonly NamedKey[]
  /** Serves a request. An error must be answered by it. */
  readonly handle: (request: FramedRequest, response: FramedResponse) => void
  /** A connection was closed because its peer proved no key, in time or at all, or because it broke the protocol. */
  readonly onRefused: (reason: 'unproved' | 'broken', cause: Error) => void
}

export interface FrameServer {
  /** The address it listens on; the port of a TCP address that had port 0. */
  readonly address: FramesAddress
  /** Takes no connections any more, and requests peers to send no new requests. */
  drain(): void
  /** Resolves when all connections are closed; after a drain their peers close them when they are not used any more. */
  closed(): Promise<void>
  /** Closes all connections. */
  destroy(): void
}

const handshakeMs = 5_000
const maxConnections = 1_024
const keepAliveMs = 15_000

/** Listens for connections of frames. A socket in the file system has rights for its owner only. */
export async function serveFrames(address: FramesAddress, options: ServeFramesOptions): Promise<FrameServer> {
  const peers = new Map<Socket, ServedStreams | null>()
  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs }, (socket) => {
    peers.set(socket, null)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      peers.get(socket)?.close()
      peers.delete(socket)
    })
    greetPeer(socket, options, (streams) => peers.set(socket, streams))
  })
  server.maxConnections = maxConnections
  const bound = await listen(server, address)
  const closed = once(server, 'close').then(() => undefined)
  return {
    address: bound,
    drain() {
      if (server.listening) server.close()
      for (const [socket, streams] of peers) {
        if (streams === null) socket.destroy()
        else streams.goAway()
      }
    },
    closed: () => closed,
    destroy() {
      if (server.listening) server.close()
      for (const socket of peers.keys()) socket.destroy()
    },
  }
}

/** Checks the proof of a peer. Until then it can send nothing but that proof. */
function greetPeer(socket: Socket, options: ServeFramesOptions, onProved: (streams: ServedStreams) => void): void {
  const greeting = greet(randomBytes(32))
  let connection: FrameConnection | null = null
  const refuse = (cause: Error) => {
    socket.destroy()
    options.onRefused(connection === null ? 'unproved' : 'broken', cause)
  }
  const timer = setTimeout(() => refuse(new FrameError('no proof in time')), handshakeMs).unref()
  socket.once('close', () => clearTimeout(timer))
  const reader = createRecordReader(maxHandshakeBytes, (record) => {
    if (connection !== null) {
      connection.accept(record)
      return
    }
    const { record: answer, keys } = proveInference(greeting, record, options.keys)
    clearTimeout(timer)
    socket.write(answer)
    reader.limitBytes = maxSealedBytes
    const streams = new ServedStreams((onFrame) => {
      connection = new FrameConnection({ socket, sealKey: keys.fromInference, openKey: keys.fromEdge, onFrame })
      return connection
    }, options.handle)
    onProved(streams)
  })
  readRecords(socket, reader, refuse)
  socket.write(greeting.record)
}

/**
 * The socket is created under a name of this process and renamed, so that it has its rights before a peer can find it,
 * and a process that takes over from another one replaces its socket at once. The file stays when the process stops,
 * because it may then be that of its successor.
 */
async function listen(server: Server, address: FramesAddress): Promise<FramesAddress> {
  if ('host' in address) {
    server.listen(address.port, address.host)
    await once(server, 'listening')
    const bound = server.address()
    if (bound === null || typeof bound === 'string') throw new Error('expected a TCP address')
    return { host: address.host, port: bound.port }
  }
  const { path } = address
  const ownPath = `${path}.${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  await rm(ownPath, { force: true })
  server.listen(ownPath)
  await once(server, 'listening')
  await chmod(ownPath, 0o600)
  await rename(ownPath, path)
  return address
}

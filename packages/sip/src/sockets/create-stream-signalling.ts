import { once } from 'node:events'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import tls, { type SecureContextOptions } from 'node:tls'
import { createStreamSplitter } from '../message/split-stream.ts'
import type { HostPort, SignallingSockets, SipPeer } from '../ports.ts'

export interface StreamSignalling extends SignallingSockets {
  readonly local: HostPort
  close(): Promise<void>
}

export interface StreamSignallingOptions {
  /** The address to bind. */
  readonly host: string
  /** 0 for any. */
  readonly port: number
  /** The address that peers reach, when it differs. */
  readonly publicHost?: string
  /** Whether an address may connect. Connections of others end before a byte is read. */
  readonly isPeer: (host: string) => boolean
  /** Certificate and key of our side and the authorities of peers, for TLS; left out for TCP. */
  readonly tls?: SecureContextOptions & { readonly ca?: string | Buffer }
}

/** Connections at the same time; more are refused. */
const maxConnections = 1_000
/** Of one address, so that there is room for others. */
const maxOfHost = maxConnections / 8
/** A connection without a message for so long ends, in milliseconds. */
const idleMs = 3_600_000
const connectMs = 5_000
/** Bytes that wait for a peer that does not read. */
const maxWaiting = 256 * 1024

/** SIP over TCP or TLS: messages to a peer use the connection that there is, else a new one. */
export async function openStreamSignalling(options: StreamSignallingOptions): Promise<StreamSignalling> {
  const transport = options.tls === undefined ? 'tcp' : 'tls'
  const connections = new Map<string, Socket>()
  let isClosed = false
  let onMessage: (message: Buffer, from: SipPeer) => void = () => {}

  const adopt = (socket: Socket, { host, port }: HostPort) => {
    const key = `${host} ${port}`
    const splitter = createStreamSplitter()
    connections.set(key, socket)
    socket.setNoDelay(true)
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.on('data', (bytes: Buffer) => {
      try {
        for (const message of splitter.push(bytes)) onMessage(message, { transport, host, port })
      } catch {
        // What follows a message that cannot be read has no beginning.
        socket.destroy()
      }
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (connections.get(key) === socket) connections.delete(key)
    })
  }
  const accept = (socket: Socket) => {
    const { remoteAddress, remotePort } = socket
    const host = (remoteAddress ?? '').replace(/^::ffff:/, '')
    const ofHost = [...connections.keys()].filter((key) => key.startsWith(`${host} `)).length
    if (remotePort === undefined || connections.size >= maxConnections || ofHost >= maxOfHost) socket.destroy()
    else adopt(socket, { host, port: remotePort })
  }
  const server = createServer(options, accept)
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const local = { host: options.publicHost ?? options.host, port }

  const connectTo = (to: SipPeer): Socket => {
    const socket = connect(to, options)
    const giveUp = setTimeout(() => socket.destroy(), connectMs)
    socket.once(transport === 'tls' ? 'secureConnect' : 'connect', () => clearTimeout(giveUp))
    socket.once('close', () => clearTimeout(giveUp))
    adopt(socket, to)
    return socket
  }
  return {
    local,
    send(message, to) {
      if (isClosed) return
      const known = connections.get(`${to.host} ${to.port}`)
      const socket = known === undefined || known.destroyed ? connectTo(to) : known
      if (socket.writableLength > maxWaiting) socket.destroy()
      else socket.write(message)
    },
    addressFor: () => local,
    listen(listener) {
      onMessage = listener
    },
    async close() {
      isClosed = true
      for (const socket of connections.values()) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Unknown addresses are turned away before a handshake. */
function createServer(options: StreamSignallingOptions, accept: (socket: Socket) => void): Server {
  const { isPeer } = options
  const isAllowed = (socket: Socket) => isPeer((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
  if (options.tls === undefined) {
    return net.createServer((socket) => (isAllowed(socket) ? accept(socket) : socket.destroy()))
  }
  const { tls: secrets } = options
  return net.createServer((socket) => {
    if (!isAllowed(socket)) {
      socket.destroy()
      return
    }
    const secured = new tls.TLSSocket(socket, { isServer: true, secureContext: tls.createSecureContext(secrets) })
    secured.on('error', () => secured.destroy())
    secured.once('secure', () => accept(secured))
  })
}

function connect({ host, port }: SipPeer, { tls: secrets }: StreamSignallingOptions): Socket {
  return secrets === undefined
    ? net.connect(port, host)
    : tls.connect({ ...secrets, host, port, minVersion: 'TLSv1.2' })
}

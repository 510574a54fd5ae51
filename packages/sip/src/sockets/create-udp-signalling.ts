import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { HostPort, SignallingSockets } from '../ports.ts'

export interface UdpSignalling extends SignallingSockets {
  readonly local: HostPort
  close(): Promise<void>
}

export interface UdpSignallingOptions {
  /** The address to bind, such as `0.0.0.0`. */
  readonly host: string
  /** 0 for any. */
  readonly port: number
  /** The address that peers reach, when it differs. */
  readonly publicHost?: string
}

/** SIP over UDP: one socket for all calls. */
export async function openUdpSignalling({ host, port, publicHost }: UdpSignallingOptions): Promise<UdpSignalling> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.bind(port, host)
  await once(socket, 'listening')
  const local = { host: publicHost ?? host, port: socket.address().port }
  // Errors of single sends (no route, closed port) are losses, which transactions mend.
  socket.on('error', () => {})
  let isClosed = false
  return {
    local,
    send(message, to) {
      if (!isClosed) socket.send(message, to.port, to.host, () => {})
    },
    addressFor: () => local,
    listen(onMessage) {
      socket.on('message', (message, { address, port: from }) => {
        onMessage(message, { transport: 'udp', host: address, port: from })
      })
    },
    close() {
      isClosed = true
      return new Promise((resolve) => socket.close(() => resolve()))
    },
  }
}

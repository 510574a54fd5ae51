import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { MediaSocket } from '../ports.ts'

export interface MediaPortsOptions {
  /** The address to bind. */
  readonly host: string
  /** The address that peers reach, when it differs. */
  readonly publicHost?: string
  /** The range of ports, both included. Each call has an even port for audio and the next for reports. */
  readonly firstPort: number
  readonly lastPort: number
}

/** Opens ports for the audio of calls out of a range. */
export interface MediaPorts {
  /** @throws RangeError when all ports are in use */
  open(): Promise<MediaSocket>
  /** Calls that have ports. */
  readonly used: number
}

export function createMediaPorts({ host, publicHost, firstPort, lastPort }: MediaPortsOptions): MediaPorts {
  const first = firstPort + (firstPort % 2)
  const pairs = Math.floor((lastPort - first + 1) / 2)
  const used = new Set<number>()
  let next = 0

  /** Takes ports in turn, so that late packets of an ended call find no new one. */
  const takePort = (): number | null => {
    for (let tries = 0; tries < pairs; tries++) {
      const port = first + 2 * next
      next = (next + 1) % pairs
      if (used.has(port)) continue
      used.add(port)
      return port
    }
    return null
  }
  return {
    get used() {
      return used.size
    },
    async open() {
      // Ports of the range that another program has are passed over.
      for (let tries = 0; tries < pairs; tries++) {
        const port = takePort()
        if (port === null) break
        const pair = await bindPair(host, port)
        if (pair !== null) return mediaSocket(pair, { host: publicHost ?? host, port }, () => used.delete(port))
        used.delete(port)
      }
      throw new RangeError(`all ports from ${firstPort} to ${lastPort} are in use`)
    },
  }
}

interface Pair {
  readonly rtp: Socket
  readonly rtcp: Socket
}

async function bindPair(host: string, port: number): Promise<Pair | null> {
  const rtp = await bind(host, port)
  if (rtp === null) return null
  const rtcp = await bind(host, port + 1)
  if (rtcp !== null) return { rtp, rtcp }
  rtp.close()
  return null
}

async function bind(host: string, port: number): Promise<Socket | null> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.bind(port, host)
  try {
    await once(socket, 'listening')
  } catch {
    return null
  }
  socket.on('error', () => {})
  return socket
}

function mediaSocket({ rtp, rtcp }: Pair, local: MediaSocket['local'], release: () => void): MediaSocket {
  let isClosed = false
  return {
    local,
    sendRtp: (packet, to) => isClosed || rtp.send(packet, to.port, to.host, () => {}),
    sendRtcp: (packet, to) => isClosed || rtcp.send(packet, to.port, to.host, () => {}),
    listen({ onRtp, onRtcp }) {
      rtp.on('message', (packet, { address, port }) => onRtp(packet, { host: address, port }))
      rtcp.on('message', (packet, { address, port }) => onRtcp(packet, { host: address, port }))
    },
    close() {
      if (isClosed) return
      isClosed = true
      // The last report may still be on its way out.
      setImmediate(() => {
        rtp.close()
        rtcp.close(release)
      })
    },
  }
}

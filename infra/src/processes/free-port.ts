import { createServer } from 'node:net'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { claimPort } from './claim-port.ts'

export interface PortWish {
  readonly preferred: number
  /** Ports that other processes of the fleet will use. */
  readonly reserved?: ReadonlySet<number>
}

/** Chooses the preferred port if it is free and no other fleet has claimed it, else the next such one above it. */
export async function choosePort({ preferred, reserved = new Set() }: PortWish): Promise<number> {
  for (let port = preferred; port < preferred + 100 && port <= 65_535; port += 1) {
    const free = (port === preferred || !reserved.has(port)) && (await isPortFree(port)) && claimPort(port)
    if (free) return port
  }
  return anyFreePort()
}

/** Whether a server can listen on this port, both on the loopback address and on all addresses. */
export async function isPortFree(port: number): Promise<boolean> {
  // Some systems allow a server on 127.0.0.1 beside one on all addresses, and traffic would reach either of them.
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '0.0.0.0'))
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

import { createServer } from 'node:net'

export interface PortWish {
  readonly preferred: number
  /** Ports that others of the same fleet are going to use. */
  readonly reserved?: ReadonlySet<number>
}

/** The preferred port when nobody listens there, else the next free one above it. */
export async function choosePort({ preferred, reserved = new Set() }: PortWish): Promise<number> {
  for (let port = preferred; port < preferred + 100 && port <= 65_535; port += 1) {
    const free = (port === preferred || !reserved.has(port)) && (await isPortFree(port))
    if (free) return port
  }
  return anyFreePort()
}

/** Whether a server could listen on this port, on the loopback address and on all addresses. */
export async function isPortFree(port: number): Promise<boolean> {
  // Some systems let 127.0.0.1 be bound beside a server on all addresses, and would then split the traffic.
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '0.0.0.0'))
}

/** A port nobody listens on at this moment. */
export function anyFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

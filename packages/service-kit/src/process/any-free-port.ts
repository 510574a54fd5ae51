import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/* Linux takes the ports of outgoing connections from 32768 upwards. A port below is not taken by one of them. */
const lowestPort = 20_000
const highestPort = 32_767

/** Chooses any port of 127.0.0.1 that is free at this moment, and that no outgoing connection will take. */
export async function anyFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowestPort, highestPort + 1)
    if (await canListen(port)) return port
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}

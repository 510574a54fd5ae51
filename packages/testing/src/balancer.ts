import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import { type Backend, createRotation, type Rotation } from './backend-rotation.ts'

export interface BalancerOptions {
  /** Milliseconds between two looks at a backend. */
  readonly pollMs?: number
  /** Milliseconds until what a look has shown decides where connections go. */
  readonly propagationMs?: number
}

/** A TCP round robin over backends, which come and go while connections are open. */
export interface Balancer {
  /** Its origin, `http://127.0.0.1:4011`. */
  readonly url: string
  /** Connections that no backend took: none was in the rotation, or the one whose turn it was did not listen. */
  readonly refused: number
  /** Connections that a backend broke with a reset. */
  readonly reset: number
  /** Whether a backend gets new connections at the moment. */
  includes(backend: Backend): boolean
  /** Gets connections once it was seen ready, and until it was seen not to be. */
  add(backend: Backend): void
  stop(): Promise<void>
}

/**
 * Starts a balancer on a free port of 127.0.0.1. It imitates a Kubernetes Service: connections are passed on byte for byte
 * and never looked into or moved, a backend that is not ready gets no new ones, and that it is not takes its time to be
 * known (`propagationMs`, the way from the kubelet over the endpoints to the rules on every node). Until then connections
 * go to a backend that is on its way out, and are refused if it does not listen any more.
 */
export async function startBalancer({ pollMs = 100, propagationMs = 500 }: BalancerOptions = {}): Promise<Balancer> {
  const rotation = createRotation(propagationMs)
  const open = new Set<Socket>()
  const seen = { refused: 0, reset: 0 }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => carry(client, rotation, open, seen))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
  const stopLooking = repeatEvery({ everyMs: pollMs, work: rotation.look, onError: () => undefined })
  return {
    url: `http://127.0.0.1:${address.port}`,
    get refused() {
      return seen.refused
    },
    get reset() {
      return seen.reset
    },
    includes: rotation.includes,
    add: rotation.add,
    async stop() {
      await stopLooking()
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

/** Gives a client's connection to the backend whose turn it is; how one side ends, the other one hears. */
function carry(client: Socket, rotation: Rotation, open: Set<Socket>, seen: { refused: number; reset: number }): void {
  track(client, open)
  const backend = rotation.next()
  if (backend === null) {
    seen.refused += 1
    return void client.resetAndDestroy()
  }
  const { hostname: host, port } = new URL(backend.url)
  const target = connect({ host, port: Number(port), allowHalfOpen: true, noDelay: true })
  track(target, open)
  let how: keyof typeof seen = 'refused'
  target.once('connect', () => {
    how = 'reset'
  })
  target.on('error', () => {
    seen[how] += 1
    client.resetAndDestroy()
  })
  client.on('error', () => target.resetAndDestroy())
  client.pipe(target)
  target.pipe(client)
}

function track(socket: Socket, open: Set<Socket>): void {
  open.add(socket)
  socket.once('close', () => open.delete(socket))
}

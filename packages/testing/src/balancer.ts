import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { type Backend, createRotation, type Rotation } from './backend-rotation.ts'

export interface BalancerOptions {
  /** Milliseconds between two readiness checks of a backend. */
  readonly pollMs?: number
  /** Milliseconds until the result of a check applies. */
  readonly propagationMs?: number
}

/** A TCP round robin over backends, which can be added and removed while connections are open. */
export interface Balancer {
  /** Its origin, `http://127.0.0.1:4011`. */
  readonly url: string
  /** Number of connections that no backend accepted: none was in the rotation, or the selected one did not listen. */
  readonly refused: number
  /** Number of connections that a backend reset. */
  readonly reset: number
  /** True when a backend gets new connections at the moment. */
  includes(backend: Backend): boolean
  /** Adds a backend. It gets connections while it is known to be ready. */
  add(backend: Backend): void
  stop(): Promise<void>
}

/**
 * Starts a balancer on a free port of 127.0.0.1 that imitates a Kubernetes Service. Connections are passed on byte for
 * byte and never moved. A backend that is not ready gets no new ones, but a change of readiness takes `propagationMs`
 * to apply, like the path from the kubelet through the endpoints to the rules on every node. Until then connections go
 * to a backend that is stopping, and are refused when it no longer listens.
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

/** Connects a client to the next backend. When one side ends, the other side is ended in the same way. */
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

import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { carry } from './chaos-flow.ts'
import { type Faults, liveFaults, noFaults } from './live-faults.ts'

/** A TCP proxy whose faults a test switches while connections are open. Faults accumulate until `restore()`. */
export interface ChaosProxy {
  readonly port: number
  /** Number of open connections. */
  readonly connections: number
  /** Accepts connections, but passes nothing on and closes nothing. Open connections freeze too. */
  freeze(): void
  thaw(): void
  /** Delays every byte by `ms` in each direction. */
  delay(ms: number): void
  /**
   * Ends each connection after `bytes` further bytes of answer, with a normal end or with a TCP reset, which may
   * destroy bytes that the client has not read yet.
   */
  cutAfter(bytes: number, how?: 'end' | 'reset'): void
  /** Writes at most `bytes` at a time, each in a packet of its own. */
  slice(bytes?: number): void
  rate(bytesPerSecond: number): void
  /** Resets every open connection once. New ones are not affected. */
  reset(): void
  /** Passes new connections to another server, as after a failover. Open ones are not moved. */
  aim(targetPort: number): void
  /** Stops listening: open connections are reset, new ones are refused. */
  refuse(): Promise<void>
  /** Removes all faults, and listens on the same port as before. */
  restore(): Promise<void>
  stop(): Promise<void>
}

export interface ChaosProxyOptions {
  readonly targetPort: number
  readonly targetHost?: string
}

/** Starts a proxy without faults on a free port of 127.0.0.1. */
export async function startChaosProxy({
  targetPort,
  targetHost = '127.0.0.1',
}: ChaosProxyOptions): Promise<ChaosProxy> {
  const faults = liveFaults()
  const open = new Set<Socket>()
  let aimedAt = targetPort
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = connect({ port: aimedAt, host: targetHost, allowHalfOpen: true, noDelay: true })
    for (const socket of [client, target]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => open.delete(socket))
    }
    void carry({ from: client, to: target, faults, isAnswer: false })
    void carry({ from: target, to: client, faults, isAnswer: true })
  })
  // Nobody else takes this port while the proxy refuses connections.
  const port = await anyFreePort()
  await listen(server, port)
  const change = (patch: Partial<Faults>) => faults.set({ ...faults.current, ...patch })
  const reset = () => {
    for (const socket of open) socket.resetAndDestroy()
  }
  return {
    port,
    get connections() {
      return Math.ceil(open.size / 2)
    },
    freeze: () => change({ frozen: true }),
    thaw: () => change({ frozen: false }),
    delay: (ms) => change({ delayMs: ms }),
    cutAfter: (bytes, how = 'end') => change({ cut: { afterBytes: bytes, how } }),
    slice: (bytes = 1) => change({ sliceBytes: bytes }),
    rate: (bytesPerSecond) => change({ bytesPerSecond }),
    reset,
    aim(port) {
      aimedAt = port
    },
    refuse: () => close(server, reset),
    async restore() {
      faults.set(noFaults)
      if (!server.listening) await listen(server, port)
    },
    async stop() {
      faults.set(noFaults)
      await close(server, reset)
    },
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

async function close(server: Server, reset: () => void): Promise<void> {
  const closed = server.listening ? once(server, 'close') : undefined
  if (closed !== undefined) server.close()
  reset()
  await closed
}

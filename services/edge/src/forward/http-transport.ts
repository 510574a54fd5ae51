import type { Socket } from 'node:net'
import { buildConnector, Pool } from 'undici'
import type { Transport } from './forwarded-call.ts'

/** Longer than every timeout of the services, which limit how long an answer takes, milliseconds. */
const silenceMs = 1_600_000
const connectTimeoutMs = 1_000
/** Shorter than the 65 s after which our servers close idle connections: a server must not close first. */
const keepAliveMs = 4_000

/** Sends requests with undici's `dispatch`: it passes on buffers as they arrive, without streams or promises. */
export function createHttpTransport(origin: string): Transport {
  const sockets = new Set<Socket>()
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false })
  const pool = new Pool(origin, {
    pipelining: 1,
    connect(target, callback) {
      connect(target, (...connected) => {
        const [error, socket] = connected
        if (error === null) {
          sockets.add(socket)
          socket.once('close', () => sockets.delete(socket))
        }
        callback(...connected)
      })
    },
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  })
  return {
    dispatch({ method, path, headers, body }, handler) {
      pool.dispatch({ method, path, headers, body }, handler)
      return true
    },
    close: () => pool.close(),
    async cut() {
      if (pool.stats.running === 0) return pool.close()
      for (const socket of sockets) socket.resetAndDestroy()
      await pool.destroy()
    },
  }
}

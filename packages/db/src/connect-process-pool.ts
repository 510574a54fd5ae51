import type { Pool } from 'pg'
import { type ConnectOptions, connectPool } from './connect-pool.ts'

/** The process that closes the pool when it stops. */
export interface PoolOwner {
  readonly logger: { warn(fields: object, message: string): void }
  readonly onStop: (stop: () => Promise<unknown>) => void
}

/** Timeouts for requests, whose callers wait, milliseconds. Waiting for a free connection of the pool counts as connecting. */
export const requestTimeouts = { statementTimeoutMs: 5_000, queryTimeoutMs: 5_000, connectTimeoutMs: 3_000 } as const
/** Timeouts for background work, milliseconds. */
export const workerTimeouts = { statementTimeoutMs: 30_000, queryTimeoutMs: 31_000, connectTimeoutMs: 5_000 } as const

/** A pool that is closed when its process stops, and that logs broken idle connections. */
export function connectProcessPool(options: Omit<ConnectOptions, 'onIdleError'>, { logger, onStop }: PoolOwner): Pool {
  const onIdleError = (error: Error) => logger.warn({ err: error }, 'database connection lost')
  const pool = connectPool({ ...options, onIdleError })
  onStop(() => pool.end())
  return pool
}

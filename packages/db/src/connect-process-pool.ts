import type { Pool } from 'pg'
import { type ConnectOptions, connectPool } from './connect-pool.ts'

/** The process that a pool lives and dies with. */
export interface PoolOwner {
  readonly logger: { warn(fields: object, message: string): void }
  readonly onStop: (stop: () => Promise<unknown>) => void
}

/** Time-outs where somebody waits for the answer, milliseconds. */
export const requestTimeouts = { statementTimeoutMs: 5_000, queryTimeoutMs: 5_000, connectTimeoutMs: 1_000 } as const
/** Time-outs where nobody does. */
export const workerTimeouts = { statementTimeoutMs: 30_000, queryTimeoutMs: 31_000, connectTimeoutMs: 5_000 } as const

/** A pool that ends with its process, and says when an idle connection broke. */
export function connectProcessPool(options: Omit<ConnectOptions, 'onIdleError'>, { logger, onStop }: PoolOwner): Pool {
  const onIdleError = (error: Error) => logger.warn({ err: error }, 'database connection lost')
  const pool = connectPool({ ...options, onIdleError })
  onStop(() => pool.end())
  return pool
}

import { createHash } from 'node:crypto'
import type { Pool } from '@ratchet/db/connect-pool'
import { ServiceError } from '@ratchet/service-kit/service-error'

/** Milliseconds that a read of the log may take on the server, and that we wait for it. */
export const readTimeouts = { statementTimeoutMs: 30_000, queryTimeoutMs: 31_000, connectTimeoutMs: 5_000 }

/**
 * Every read has an index to go by: scans and joins of whole tables are mistakes of the planner, and so are threads. Its
 * statement names the index whatever the values are, so one plan is as good as another, and planning for every day of
 * the log takes longer than reading.
 */
export const readSettings = {
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
}

export interface ReadStatement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether it runs often: it is then planned once for a connection. */
  readonly isPrepared?: boolean
}

export type RunStatement = <Row extends object>(statement: ReadStatement) => Promise<readonly Row[]>

export type RunRead = <Row extends object>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>

/**
 * Runs statements that read the log.
 *
 * @throws ServiceError `service_unavailable` when the database is away or takes too long
 */
export function createRunStatement(pool: Pool): RunStatement {
  return async ({ text, values, isPrepared = false }) => {
    const name = isPrepared ? { name: nameOf(text) } : {}
    try {
      return (await pool.query({ ...name, text, values: [...values] })).rows
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause
      throw new ServiceError('service_unavailable', 'The log cannot be reached.', { retryAfterSeconds: 1, cause })
    }
  }
}

/** The same for statements that run too seldom to be kept. */
export function createRunRead(pool: Pool): RunRead {
  const run = createRunStatement(pool)
  return (text, values) => run({ text, values })
}

function nameOf(text: string): string {
  return `read-${createHash('sha1').update(text).digest('hex')}`
}

/** Classes of SQLSTATE in which the server is the reason: connections, resources, intervention. */
const serverClasses = new Set(['08', '53', '57', '58'])

/** What node-postgres itself reports has no SQLSTATE. */
export function isUnreachable(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code !== 'string' || code.length !== 5 || serverClasses.has(code.slice(0, 2)) || /^E[A-Z]+$/.test(code)
}

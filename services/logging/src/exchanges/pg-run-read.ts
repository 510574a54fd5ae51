import { createHash } from 'node:crypto'
import type { Pool } from '@ratchet/db/connect-pool'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type FairPlaces, unlimitedPlaces } from '@ratchet/service-kit/timing/fair-places'

/** Milliseconds: how long a read of the log may run on the server, and how long this process waits for it. */
export const readTimeouts = { statementTimeoutMs: 30_000, queryTimeoutMs: 31_000, connectTimeoutMs: 5_000 }

/**
 * Every read has an index. Scans and joins of whole tables and parallel workers would be mistakes of the planner. The
 * best plan does not depend on the values, so a generic plan is used: planning for every partition takes longer than
 * reading.
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
  /** Prepare the statement, so that each connection plans it once. For statements that run often. */
  readonly isPrepared?: boolean
}

export type RunStatement = <Row extends object>(statement: ReadStatement) => Promise<readonly Row[]>

export type RunRead = <Row extends object>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>

/**
 * Runs statements of a workspace that read the log, each in a place of the workspace.
 *
 * @throws ServiceError `service_unavailable` when the database is unavailable, or takes too long, or too many statements
 *   of the workspace wait
 */
export function createRunStatement(
  pool: Pool,
  places: FairPlaces = unlimitedPlaces,
): (workspaceId: string) => RunStatement {
  return (workspaceId) => async (statement) => {
    const { text, values, isPrepared = false } = statement
    const name = isPrepared ? { name: nameOf(text) } : {}
    const query = async () => (await pool.query({ ...name, text, values: [...values] })).rows
    return places.run(workspaceId, () => whileAvailable(query))
  }
}

/** @throws ServiceError `service_unavailable` when the database is unavailable or takes too long */
export async function whileAvailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!isUnreachable(cause)) throw cause
    throw new ServiceError('service_unavailable', 'The log is unavailable. Retry.', { retryAfterSeconds: 1, cause })
  }
}

/** {@link createRunStatement} for statements that run too seldom to be prepared. */
export function createRunRead(pool: Pool, places?: FairPlaces): (workspaceId: string) => RunRead {
  const runOf = createRunStatement(pool, places)
  return (workspaceId) => (text, values) => runOf(workspaceId)({ text, values })
}

function nameOf(text: string): string {
  return `read-${createHash('sha1').update(text).digest('hex')}`
}

/** SQLSTATE classes of connection failures, missing resources and operator intervention. */
const serverClasses = new Set(['08', '53', '57', '58'])

/** Errors of node-postgres itself have no SQLSTATE: they are connection failures or timeouts. */
export function isUnreachable(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code !== 'string' || code.length !== 5 || serverClasses.has(code.slice(0, 2)) || /^E[A-Z]+$/.test(code)
}

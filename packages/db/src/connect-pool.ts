import pg from 'pg'

export type { Pool, PoolClient } from 'pg'

export interface ConnectOptions {
  readonly databaseUrl: string
  /** The database role of every connection; absent: the login's own. */
  readonly role?:
    | 'ratchet_edge'
    | 'ratchet_inference'
    | 'ratchet_logging'
    | 'ratchet_judging'
    | 'ratchet_eval'
    | 'ratchet_alias'
    | 'ratchet_dashboard'
    | 'ratchet_training'
    | 'ratchet_voice'
  /** Maximum number of connections in the pool. */
  readonly max?: number
  /** Milliseconds after which the server cancels a statement. */
  readonly statementTimeoutMs?: number
  /** Milliseconds after which a query fails without an answer, also of a frozen server. */
  readonly queryTimeoutMs?: number
  /** Milliseconds to wait for a connection, from the pool or to the server. */
  readonly connectTimeoutMs?: number
  /** Settings of every session, such as `jit: 'off'`. Values must not need quotes. */
  readonly settings?: Readonly<Record<string, string>>
  /** Called when an idle connection broke. Such connections are replaced. */
  readonly onIdleError?: (error: Error) => void
}

/**
 * A `pg` pool for statements that Prisma's client cannot express (batched reads, the ledger). It connects lazily. Without
 * a server each query fails after its timeout.
 */
export function connectPool(options: ConnectOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.max ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 2_000,
    idleTimeoutMillis: 30_000,
    ...sessionOptions(options),
    ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
    ...(options.queryTimeoutMs === undefined ? {} : { query_timeout: options.queryTimeoutMs }),
    keepAlive: true,
  })
  pool.on('error', (error) => options.onIdleError?.(error))
  pool.on('connect', (client) => client.on('error', ignoreBrokenConnection))
  return pool
}

/** The next statement of a broken connection fails anyway. Without a listener the event would end the process. */
function ignoreBrokenConnection(): void {}

function sessionOptions({ role, settings = {} }: ConnectOptions): { readonly options?: string } {
  const all = [...Object.entries(role === undefined ? {} : { role }), ...Object.entries(settings)]
  return all.length === 0 ? {} : { options: all.map(([name, value]) => `-c ${name}=${value}`).join(' ') }
}

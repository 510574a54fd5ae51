import pg from 'pg'

export type { Pool, PoolClient } from 'pg'

export interface ConnectOptions {
  readonly databaseUrl: string
  /** The database role whose rights every connection assumes; absent = the login's own. */
  readonly role?:
    | 'ratchet_edge'
    | 'ratchet_inference'
    | 'ratchet_logging'
    | 'ratchet_judging'
    | 'ratchet_eval'
    | 'ratchet_alias'
  /** Most connections in the pool. */
  readonly max?: number
  /** Milliseconds after which the server cancels a statement. */
  readonly statementTimeoutMs?: number
  /** Milliseconds after which we stop waiting for an answer, also from a frozen server. */
  readonly queryTimeoutMs?: number
  /** Milliseconds to wait for a connection, from the pool or to the server. */
  readonly connectTimeoutMs?: number
  /** Settings of every session, such as `jit: 'off'`; plain words only. */
  readonly settings?: Readonly<Record<string, string>>
  /** Hears of connections that broke while nobody had them; without it they are only replaced. */
  readonly onIdleError?: (error: Error) => void
}

/**
 * A `pg` pool for the statements that Prisma's builder cannot express (batched look-ups, the ledger).
 * Connects lazily; a lost server costs each query its time-out, never a hang.
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
  pool.on('connect', (client) => client.on('error', failsItsStatement))
  return pool
}

/** A connection that breaks while somebody has it fails their next statement; nobody listening would end the process. */
function failsItsStatement(): void {}

function sessionOptions({ role, settings = {} }: ConnectOptions): { readonly options?: string } {
  const all = [...Object.entries(role === undefined ? {} : { role }), ...Object.entries(settings)]
  return all.length === 0 ? {} : { options: all.map(([name, value]) => `-c ${name}=${value}`).join(' ') }
}

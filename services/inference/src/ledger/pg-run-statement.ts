import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { type PlainStatement, queryPlain } from '@ratchet/db/plain-statement'
import { LedgerUnavailable } from './ledger.ts'
import { planSettings } from './pg-ledger-statements.ts'

export interface Statement {
  /** The name of the prepared statement, which is prepared once per connection. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  /** Milliseconds after which the answer is not awaited any longer, even from a server that hangs. */
  readonly timeoutMs: number
}

/** Deadlock and serialization failure: the statement had no effect and may run again. */
const runAgain: readonly string[] = ['40P01', '40001']
const attempts = 4

/**
 * Runs one statement as a transaction of its own.
 *
 * @throws LedgerUnavailable when the database is unavailable, hangs, stops or is overloaded
 * @throws the database's own error when the values are wrong, which is a bug and not an outage
 */
export function runStatement<Row>(pool: Pool, statement: Statement): Promise<readonly Row[]> {
  const { name, text, values, timeoutMs } = statement
  return runRepeatedly(pool, statement, async (client) => {
    // `query_timeout` is an option of node-postgres for a single query, which its types do not list
    const query = { name, text, values: [...values], query_timeout: timeoutMs }
    return (await client.query(query)).rows as Row[]
  })
}

/** Also runs one statement, for statements that requests wait for: it returns rows of text and costs less. */
export function runPlainStatement<Row extends readonly string[]>(
  pool: Pool,
  statement: PlainStatement & { readonly timeoutMs: number },
): Promise<readonly Row[]> {
  return runRepeatedly(pool, statement, (client) => queryPlain<Row>(client, statement))
}

/**
 * Runs several statements as one transaction, which is undone unless they say that it commits.
 *
 * @throws as {@link runStatement}
 */
export function runTransaction<Row>(
  pool: Pool,
  { name, timeoutMs }: Pick<Statement, 'name' | 'timeoutMs'>,
  work: (client: PoolClient) => Promise<{ readonly rows: readonly Row[]; readonly commits: boolean }>,
): Promise<readonly Row[]> {
  return runRepeatedly(pool, { name, timeoutMs }, async (client) => {
    const end = (text: 'BEGIN' | 'COMMIT' | 'ROLLBACK') => {
      const query = { text, query_timeout: timeoutMs }
      return client.query(query)
    }
    await end('BEGIN')
    try {
      const { rows, commits } = await work(client)
      await end(commits ? 'COMMIT' : 'ROLLBACK')
      return rows
    } catch (error) {
      // A connection that cannot be rolled back is not used again, because its next `BEGIN` would fail.
      await end('ROLLBACK')
      throw error
    }
  })
}

type Ask<Row> = (client: PoolClient) => Promise<readonly Row[]>

async function runRepeatedly<Row>(
  pool: Pool,
  { name, timeoutMs }: Pick<Statement, 'name' | 'timeoutMs'>,
  ask: Ask<Row>,
): Promise<readonly Row[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(pool, { name, timeoutMs }, ask)
    } catch (error) {
      if (attempt < attempts && runAgain.includes(sqlState(error))) continue
      throw error instanceof LedgerUnavailable ? error : asUnavailable(name, error)
    }
  }
}

/** Connections that have their plan settings. */
const pinned = new WeakSet<PoolClient>()

async function runOnce<Row>(
  pool: Pool,
  { name, timeoutMs }: Pick<Statement, 'name' | 'timeoutMs'>,
  ask: Ask<Row>,
): Promise<readonly Row[]> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new LedgerUnavailable(`no connection for ${name}`, { uncertain: false, cause })
  })
  let failure: Error | undefined
  try {
    if (!pinned.has(client)) await pin(client, timeoutMs)
    return await ask(client)
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw failure
  } finally {
    // after an error that the server reported the connection is usable; after any other it is not
    client.release(isStatementError(failure) ? undefined : failure)
  }
}

async function pin(client: PoolClient, timeoutMs: number): Promise<void> {
  // A connection that breaks fails its statement. It also emits an event, which would end the process without a
  // listener.
  client.on('error', () => undefined)
  const settings = { text: planSettings, query_timeout: timeoutMs }
  await client.query(settings)
  pinned.add(client)
}

/** True when the server answered the statement with an error, so that it had no effect. */
function isStatementError(error: unknown): boolean {
  const state = sqlState(error)
  return state !== '' && !connectionEnds(state)
}

function asUnavailable(name: string, error: unknown): unknown {
  const state = sqlState(error)
  if (isStatementError(error) && !/^(40|53|55|57|58)/.test(state)) return error
  return new LedgerUnavailable(`${name} failed`, { uncertain: !isStatementError(error), cause: error })
}

/** Class 08, and a server that stops or crashes (57P0x): the statement may have committed before. */
function connectionEnds(state: string): boolean {
  return state.startsWith('08') || state.startsWith('57P')
}

/** The state of an error that the server reported; empty for every other error, such as EPIPE. */
function sqlState(error: unknown): string {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return ''
  return String(error.code)
}

import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { LedgerUnavailable } from '../domain/ledger.ts'
import { planSettings } from './ledger-statements.ts'

export interface Statement {
  /** Prepared under this name, once per connection. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  /** After this the answer is not awaited any longer, also from a frozen server. */
  readonly timeoutMs: number
}

/** Deadlock and serialization failure: the statement left nothing behind and may simply run again. */
const runAgain: readonly string[] = ['40P01', '40001']
const attempts = 4

/**
 * Runs one statement as a transaction of its own.
 *
 * @throws LedgerUnavailable when the database is away, frozen, stopping or overloaded.
 * @throws the database's own error when it is about the values: that is a bug, not an outage.
 */
export async function runStatement<Row>(pool: Pool, statement: Statement): Promise<readonly Row[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce<Row>(pool, statement)
    } catch (error) {
      if (attempt < attempts && runAgain.includes(sqlState(error))) continue
      throw error instanceof LedgerUnavailable ? error : asUnavailable(statement.name, error)
    }
  }
}

/** Connections that have their plan settings. */
const pinned = new WeakSet<PoolClient>()

async function runOnce<Row>(pool: Pool, { name, text, values, timeoutMs }: Statement): Promise<readonly Row[]> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new LedgerUnavailable(`no connection for ${name}`, { uncertain: false, cause })
  })
  // query_timeout is an option of node-postgres for a single query, which its types do not list
  const query = { name, text, values: [...values], query_timeout: timeoutMs }
  let failure: Error | undefined
  // a connection that breaks says so here too, and nobody listening would end the process
  const onBroken = (error: Error) => {
    failure ??= error
  }
  client.on('error', onBroken)
  try {
    if (!pinned.has(client)) {
      const settings = { text: planSettings, query_timeout: timeoutMs }
      await client.query(settings)
      pinned.add(client)
    }
    const { rows } = await client.query(query)
    return rows as Row[]
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw failure
  } finally {
    client.off('error', onBroken)
    // an error the server answered leaves the connection usable; anything else is its end
    client.release(isStatementError(failure) ? undefined : failure)
  }
}

/** True when the server answered the statement with an error, so that nothing of it remains. */
function isStatementError(error: unknown): boolean {
  const state = sqlState(error)
  return state !== '' && !connectionEnds(state)
}

function asUnavailable(name: string, error: unknown): unknown {
  const state = sqlState(error)
  if (isStatementError(error) && !/^(40|53|55|57|58)/.test(state)) return error
  return new LedgerUnavailable(`${name} failed`, { uncertain: !isStatementError(error), cause: error })
}

/** Class 08 and a server that stops or crashes (57P0x): the statement may have committed before. */
function connectionEnds(state: string): boolean {
  return state.startsWith('08') || state.startsWith('57P')
}

/** The state of an error that the server reported; empty for every other error, such as EPIPE. */
function sqlState(error: unknown): string {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return ''
  return String(error.code)
}

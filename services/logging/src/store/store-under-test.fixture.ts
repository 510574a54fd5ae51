import { type LogDatabase, logDatabase } from '../exchanges/log-database.fixture.ts'
import { type ExchangeFields, storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { inlineSkeletons } from '../segments/inline-skeletons.fixture.ts'
import type { ExchangeStore } from './exchange-store.ts'
import { createPgExchangeStore } from './pg-exchange-store.ts'

/** A store of exchanges, for the contract tests of all its adapters. */
export interface StoreUnderTest {
  readonly store: ExchangeStore
  /** Stores exchanges of a workspace with the segments that `fields` name. Resolves with their ids. */
  put(
    scope: { readonly workspaceId: string; readonly at: Date },
    fields: readonly ExchangeFields[],
  ): Promise<readonly string[]>
  /** Deletes all exchanges. */
  clear(): Promise<void>
  /** Adds a workspace that logs, with this retention in days. */
  addWorkspace(id: string, retentionDays: number): Promise<void>
  setRetention(id: string, retentionDays: number): Promise<void>
  deleteWorkspace(id: string): Promise<void>
  /** Number of exchanges of which anything is stored, expired ones too. */
  countStored(workspaceId: string): Promise<number>
  drop(): Promise<void>
}

export async function pgStoreUnderTest(): Promise<StoreUnderTest> {
  const database: LogDatabase = await logDatabase()
  const { pool, operator } = database
  const newBlockId = () => crypto.randomUUID()
  return {
    store: createPgExchangeStore({ writes: pool, reads: pool, sweeps: pool, newBlockId, skeletons: inlineSkeletons }),
    put: (scope, fields) => storeExchanges(pool, scope, fields),
    async clear() {
      await pool.query('DELETE FROM exchange_block; DELETE FROM exchange_content; DELETE FROM exchange')
    },
    ...databaseSteps(database),
    async countStored(workspaceId) {
      const { rows } = await operator.query<{ rows: number; contents: number }>(
        `SELECT (SELECT count(*)::int FROM exchange WHERE workspace_id = $1) AS rows,
           (SELECT coalesce(sum(exchanges), 0)::int FROM exchange_block WHERE workspace_id = $1) AS contents`,
        [workspaceId],
      )
      return Math.max(rows[0]?.rows ?? 0, rows[0]?.contents ?? 0)
    },
    drop: database.drop,
  }
}

/** What happens in Postgres, wherever the exchanges are. */
export function databaseSteps({
  operator,
  addWorkspace,
}: LogDatabase): Pick<StoreUnderTest, 'addWorkspace' | 'setRetention' | 'deleteWorkspace'> {
  return {
    addWorkspace,
    async setRetention(id, retentionDays) {
      await operator.query('UPDATE workspace_settings SET retention_days = $2 WHERE workspace_id = $1', [
        id,
        retentionDays,
      ])
    },
    async deleteWorkspace(id) {
      await operator.query('DELETE FROM workspace WHERE id = $1', [id])
    },
  }
}

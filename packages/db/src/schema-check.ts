import type { Pool } from 'pg'
import { migrationsTable } from './applied-migrations.ts'
import { migrationNames } from './migration-names.ts'

/**
 * Creates a start check: the database has the last migration of this code. A database of a newer release passes, because
 * older processes run on it while a newer release is rolled out or rolled back.
 */
export function createSchemaCheck(pool: Pick<Pool, 'query'>): () => Promise<void> {
  return async () => {
    const needed = (await migrationNames()).at(-1) ?? null
    const { rowCount } = await pool.query(`SELECT 1 FROM ${migrationsTable} WHERE name = $1`, [needed])
    if (rowCount === 0) throw new Error(`migration ${needed} is not applied yet`)
  }
}

import type { Pool } from 'pg'
import { migrationNames } from './migration-names.ts'

/**
 * A check of start-up: the database has the last migration that this code brings. A database that is ahead passes, for
 * code of an older release runs on it while a newer one is rolled out or taken back.
 */
export function createSchemaCheck(pool: Pick<Pool, 'query'>): () => Promise<void> {
  return async () => {
    const needed = (await migrationNames()).at(-1) ?? null
    const { rowCount } = await pool.query(
      'SELECT 1 FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NOT NULL',
      [needed],
    )
    if (rowCount === 0) throw new Error(`migration ${needed} is not applied yet`)
  }
}

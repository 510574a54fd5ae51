import type { Client } from 'pg'

/** The table in which node-pg-migrate records applied migrations. */
export const migrationsTable = 'schema_migration'

/**
 * Creates the table of applied migrations if the database has none. A database of an older release has them in
 * `_prisma_migrations`: those that are finished there count as applied. That table is not changed, because processes of
 * the older release read it at their start.
 */
export async function prepareMigrationsTable(client: Client): Promise<void> {
  if (await hasTable(client, migrationsTable)) return
  const adopt = (await hasTable(client, '_prisma_migrations')) ? adoptStatement : ''
  // One simple query is one transaction, so the table never exists without the adopted rows.
  await client.query(`${createStatement};${adopt}`)
}

/** Names of the migrations that the database has, in order. */
export async function appliedMigrations(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${migrationsTable} ORDER BY name`)
  return rows.map(({ name }) => name)
}

/** As node-pg-migrate creates it. Every service may read it, because each waits at its start for its last migration. */
const createStatement = `
  CREATE TABLE ${migrationsTable} (id serial PRIMARY KEY, name varchar(255) NOT NULL, run_on timestamp NOT NULL);
  GRANT SELECT (name) ON ${migrationsTable} TO PUBLIC`

/** A migration that was retried has several rows, of which one is finished. */
const adoptStatement = `
  INSERT INTO ${migrationsTable} (name, run_on)
  SELECT migration_name, min(finished_at) FROM _prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
  GROUP BY migration_name ORDER BY migration_name`

async function hasTable(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [table])
  return rows[0]?.found === true
}

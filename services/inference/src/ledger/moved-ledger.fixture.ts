import { connectPool } from '@ratchet/db/connect-pool'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { type LedgerDatabase, openLedgerDatabase } from './ledger-database.fixture.ts'

export interface MovedLedger extends LedgerDatabase {
  /** What the database takes for the present from now on, in every session. */
  moveTo(at: Date): Promise<void>
}

/** Columns whose default is the time. */
const timesStatement = `
  SELECT format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT moved.now()', d.adrelid::regclass, a.attname) AS text
  FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
  JOIN pg_class c ON c.oid = d.adrelid AND c.relnamespace = 'public'::regnamespace
  WHERE pg_get_expr(d.adbin, d.adrelid) IN ('CURRENT_TIMESTAMP', 'now()')`

/** A ledger whose database has a clock of the test's own: statements find its `now()` before that of Postgres. */
export async function movedLedger(): Promise<MovedLedger> {
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, max: 1 })
  await pool.query(`
    CREATE SCHEMA moved;
    CREATE TABLE moved.clock (at TIMESTAMPTZ NOT NULL);
    INSERT INTO moved.clock VALUES (now());
    CREATE FUNCTION moved.now() RETURNS TIMESTAMPTZ LANGUAGE sql STABLE AS 'SELECT at FROM moved.clock';
    GRANT USAGE ON SCHEMA moved TO PUBLIC;
    GRANT SELECT ON moved.clock TO PUBLIC`)
  const { rows } = await pool.query<{ text: string }>(timesStatement)
  for (const { text } of rows) await pool.query(text)
  const name = new URL(database.url).pathname.slice(1)
  await pool.query(`ALTER DATABASE "${name}" SET search_path = moved, public, pg_catalog`)
  const ledger = openLedgerDatabase(database)
  return {
    ...ledger,
    async moveTo(at) {
      await pool.query('UPDATE moved.clock SET at = $1', [at])
    },
    async drop() {
      await pool.end()
      await ledger.drop()
    },
  }
}

import { connectPool } from '@ratchet/db/connect-pool'

/** The clock of a database becomes one that jumps: statements and views find another `now()` first. */
export async function replaceClock(databaseUrl: string): Promise<void> {
  const owner = connectPool({ databaseUrl, max: 1 })
  const name = new URL(databaseUrl).pathname.slice(1)
  await owner.query(`
    CREATE SCHEMA clock;
    CREATE TABLE clock.jump (ms BIGINT NOT NULL);
    INSERT INTO clock.jump VALUES (0);
    CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE
      AS 'SELECT pg_catalog.now() + ms * interval ''1 millisecond'' FROM clock.jump';
    GRANT USAGE ON SCHEMA clock TO PUBLIC;
    GRANT SELECT ON clock.jump TO PUBLIC;
    ALTER DATABASE "${name}" SET search_path = clock, public, pg_catalog`)
  await owner.end()
  const again = connectPool({ databaseUrl, max: 1 })
  const { rows } = await again.query(`SELECT pg_get_viewdef('replica_window_cost'::regclass) AS text`)
  await again.query(
    `CREATE OR REPLACE VIEW public.replica_window_cost AS ${rows[0].text.replaceAll('pg_catalog.now()', 'now()')}`,
  )
  await again.end()
}

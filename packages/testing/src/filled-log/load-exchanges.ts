import type { Pool } from '@ratchet/db/connect-pool'
import { exchangesPerBlock, loadBlocks } from './load-blocks.ts'
import { type DayRange, dayRanges, type LoadOptions } from './load-plan.ts'
import { createTexts, readTexts } from './load-texts.ts'

/**
 * Fills the log of a workspace: eight models, twenty tags and a rare one, fifty segments, half of the exchanges in
 * traces of five steps, but a tenth of all in one trace, 1.5 KB of content each. Everything follows from the number of an
 * exchange, so the server makes the rows itself; only the compressed contents are sent to it.
 *
 * Each day is loaded into a table of its own that gets its indexes at the end and then becomes a partition. These tables
 * are not logged: that makes no difference for reads, and saves writing everything twice.
 */
export async function loadExchanges(pool: Pool, options: LoadOptions): Promise<void> {
  await createTexts(pool, options)
  const texts = await readTexts(pool)
  const days = [...dayRanges(options)]
  const loadDays = async () => {
    for (let day = days.shift(); day !== undefined; day = days.shift()) {
      await loadRows(pool, options, day)
      if (options.hasContents !== false) await loadBlocks(pool, { ...options, texts, day })
      await count(pool, day)
    }
  }
  await Promise.all(Array.from({ length: pool.options.max }, loadDays))
  await pool.query('DROP TABLE load_text')
  // Not earlier: rows count as visible to all only when no transaction is older than them, and reads of indexes need that.
  await pool.query('VACUUM (ANALYZE) exchange')
  await pool.query('VACUUM (ANALYZE) exchange_block')
}

async function loadRows(pool: Pool, options: LoadOptions, day: DayRange): Promise<void> {
  const table = tableOf(day)
  await pool.query('SELECT ensure_exchange_partition($1::date)', [day.expiresOn])
  await pool.query(`
    DROP TABLE ${table};
    CREATE UNLOGGED TABLE ${table} (LIKE exchange INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE);
    SELECT prepare_exchange_partition('${table}')`)
  const { workspaceId, untilMs, days, exchanges } = options
  await pool.query(insertInto(table), [workspaceId, day.first, day.last, untilMs, days, exchanges])
  const { rows } = await pool.query<{ definition: string }>(indexesText)
  const indexes = rows.map(({ definition }) =>
    definition.replace(/^CREATE (UNIQUE )?INDEX \S+ ON ONLY public\.exchange /, `CREATE $1INDEX ON ${table} `),
  )
  await pool.query(`
    SET maintenance_work_mem = '1GB';
    ${indexes.join(';')};
    ALTER TABLE exchange ATTACH PARTITION ${table} FOR VALUES FROM ('${day.expiresOn}') TO ('${day.after}')`)
}

/** What triggers do for rows that arrive through the partitioned table. */
async function count(pool: Pool, day: DayRange): Promise<void> {
  await pool.query(`
    SELECT count_exchanges_in(array_agg(change)) FROM (
      SELECT (workspace_id, segment, segment_exact, expires_on, count(*), min(created_at), max(created_at))::segment_change AS change
      FROM ${tableOf(day)} GROUP BY workspace_id, segment, segment_exact, expires_on
    ) changes HAVING count(*) > 0`)
  await pool.query(`
    SELECT count_steps_in(array_agg(change)) FROM (
      SELECT (workspace_id, trace_id, count(*), max(created_at))::trace_change AS change
      FROM ${tableOf(day)} WHERE trace_id IS NOT NULL GROUP BY workspace_id, trace_id
    ) changes HAVING count(*) > 0`)
}

function tableOf({ expiresOn }: DayRange): string {
  return `exchange_${expiresOn.replaceAll('-', '')}`
}

const indexesText = `
  SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE indrelid = 'exchange'::regclass ORDER BY indexrelid`

/**
 * $1 workspace, $2 and $3 first and last number, $4 latest time in milliseconds, $5 days, $6 number of exchanges. Ids begin
 * with the time, like UUIDs of version 7.
 */
function insertInto(table: string): string {
  return `
    INSERT INTO ${table}
    SELECT ((created_at + interval '30 days') AT TIME ZONE 'UTC')::date, (time_hex || '70008' || number_hex)::uuid, $1::uuid,
      (time_hex || '70009' || number_hex)::uuid, created_at, created_at + interval '30 days', 'gateway',
      'acme/model-' || floor(8 * u * u), 'acme/model-' || floor(8 * u * u), 'acme',
      CASE WHEN r % 5 = 0 THEN 'alias-' || r % 3 END, r % 100 = 7, NULL,
      CASE WHEN r % 10000 = 3 THEN 'rare' WHEN r % 10 > 0 THEN 'tag-' || r % 21 END,
      CASE WHEN n * 10 / $6::bigint = 5 THEN 'long' WHEN n % 2 = 0 THEN 'run-' || n / 10 END, NULL, NULL, NULL,
      'seg-' || r % 50, 'var-' || r % 500,
      CASE WHEN r % 1000 = 1 THEN 'content_filter' WHEN r % 50 = 2 THEN 'length' WHEN r % 12 = 0 THEN 'tool_calls' ELSE 'stop' END,
      r % 3 = 0, r % 20 = 4, r % 12 = 0, 300, 80, NULL, (1000000 * exp(6 * u))::bigint, 800 * u, NULL, 0, '{}', 1500,
      sha256(int8send(n)), hashtextextended('order' || n, uuid_hash_extended($1::uuid, 0)) || t.words,
      ('0000000000007000a' || lpad(to_hex(n / ${exchangesPerBlock}), 15, '0'))::uuid
    FROM generate_series($2::bigint, $3::bigint) n
    CROSS JOIN LATERAL (SELECT hashint8(n) & 1048575 AS r, (hashint8(n + 7) & 1048575) / 1048576.0 AS u,
      $4::bigint - n * $5::bigint * 86400000 / $6::bigint AS ms, lpad(to_hex(n), 15, '0') AS number_hex) given
    CROSS JOIN LATERAL (SELECT to_timestamp(ms / 1000.0) AS created_at, lpad(to_hex(ms), 12, '0') AS time_hex) derived
    JOIN load_text t ON t.k = r % (SELECT count(*) FROM load_text)`
}

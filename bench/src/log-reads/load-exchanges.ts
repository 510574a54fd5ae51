import type { Pool } from '@ratchet/db/connect-pool'

export interface LoadOptions {
  readonly workspaceId: string
  readonly exchanges: number
  /** The exchanges are spread evenly over at most 29 days before this time, and expire after 30. */
  readonly until: Date
  readonly days: number
}

const perStatement = 20_000

/**
 * Fills the log of a workspace: eight models, twenty tags and a rare one, fifty segments, half of the exchanges in
 * traces of five steps, but a tenth of all in one trace, 1.5 KB of content each. The server makes the rows itself, from
 * their numbers alone.
 */
export async function loadExchanges(pool: Pool, options: LoadOptions): Promise<void> {
  await makePartitions(pool, options)
  await pool.query(`CREATE TABLE load_prose AS SELECT string_agg(word, $1 ORDER BY place) AS text FROM (${prose}) w`, [
    ' ',
  ])
  const { workspaceId, exchanges, until, days } = options
  for (let first = 0; first < exchanges; first += perStatement) {
    const last = Math.min(first + perStatement, exchanges) - 1
    await pool.query(loadStatement, [workspaceId, first, last, until, (days * 86_400) / exchanges, exchanges])
  }
  await pool.query('DROP TABLE load_prose')
}

/** Five thousand different words, some of them much more frequent than the others. */
const prose = `
  SELECT place, 'word' || to_hex((power(random(), 4) * 5000)::int) AS word FROM generate_series(1, 6000) place`

async function makePartitions(pool: Pool, { until, days }: LoadOptions): Promise<void> {
  await pool.query(
    `SELECT ensure_exchange_partition((day AT TIME ZONE 'UTC')::date)
     FROM generate_series($1::timestamptz + make_interval(days => 29 - $2), $1::timestamptz + interval '30 days', '1 day') day`,
    [until, days],
  )
}

/** $1 workspace, $2 and $3 first and last number, $4 latest time, $5 seconds between two exchanges, $6 their total number. */
const loadStatement = `
  WITH numbered AS MATERIALIZED (
    SELECT n, gen_random_uuid() AS id, $4::timestamptz - make_interval(secs => n * $5::float8) AS created_at, r,
      (hashint8(n + 7) & 1048575) / 1048576.0 AS u, n / 10 AS run,
      json_build_array(
        json_build_object('role', 'system', 'content', 'You are assistant ' || r % 50 || '.'),
        json_build_object('role', 'user', 'content', 'order' || n || ' ' || substr(text, 1 + r % 40000, 900))
      )::text AS messages,
      json_build_object('role', 'assistant', 'content', substr(text, 1 + (r / 7) % 40000, 450))::text AS response
    FROM generate_series($2::bigint, $3::bigint) n, LATERAL (SELECT hashint8(n) & 1048575 AS r) random, load_prose
  ), exchanges AS (
    INSERT INTO exchange
    SELECT ((created_at + interval '30 days') AT TIME ZONE 'UTC')::date, id, $1, gen_random_uuid(), created_at,
      created_at + interval '30 days', 'gateway',
      'acme/model-' || floor(8 * u * u), 'acme/model-' || floor(8 * u * u), 'acme',
      CASE WHEN r % 5 = 0 THEN 'alias-' || r % 3 END, r % 100 = 7, NULL,
      CASE WHEN r % 10000 = 3 THEN 'rare' WHEN r % 10 > 0 THEN 'tag-' || r % 21 END,
      CASE WHEN n * 10 / $6::bigint = 5 THEN 'long' WHEN n % 2 = 0 THEN 'run-' || run END, NULL, NULL, NULL,
      'seg-' || r % 50, 'var-' || r % 500,
      CASE WHEN r % 1000 = 1 THEN 'content_filter' WHEN r % 50 = 2 THEN 'length' WHEN r % 12 = 0 THEN 'tool_calls' ELSE 'stop' END,
      r % 3 = 0, r % 20 = 4, r % 12 = 0, 300, 80, NULL, (1000000 * exp(6 * u))::bigint, 800 * u, NULL, 0, '{}', 1500,
      int8send(n), exchange_words($1, messages, response)
    FROM numbered
  )
  INSERT INTO exchange_content
  SELECT ((created_at + interval '30 days') AT TIME ZONE 'UTC')::date, id, messages, response, NULL, NULL, '{"temperature":0.7}'
  FROM numbered`

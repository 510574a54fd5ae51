import { connectPool } from '@ratchet/db/connect-pool'

export interface LogSize {
  readonly exchanges: number
  /** Bytes an exchange. */
  readonly bytes: { readonly rows: number; readonly indexes: number; readonly contents: number }
}

/** Counts the exchanges, and what one of them takes on disk. */
export async function measureSize(databaseUrl: string): Promise<LogSize> {
  const pool = connectPool({ databaseUrl, max: 1 })
  try {
    const { rows } = await pool.query<SizeRow>(text)
    const { exchanges = 0, table = 0, indexes = 0, contents = 0 } = rows[0] ?? {}
    const each = (bytes: number) => bytes / Math.max(exchanges, 1)
    return { exchanges, bytes: { rows: each(table), indexes: each(indexes), contents: each(contents) } }
  } finally {
    await pool.end()
  }
}

interface SizeRow {
  readonly exchanges: number
  readonly table: number
  readonly indexes: number
  readonly contents: number
}

const text = `
  SELECT (SELECT count(*)::int FROM exchange) AS exchanges,
    sum(pg_table_size(inhrelid)) FILTER (WHERE inhparent = 'exchange'::regclass)::float8 AS "table",
    sum(pg_indexes_size(inhrelid)) FILTER (WHERE inhparent = 'exchange'::regclass)::float8 AS indexes,
    sum(pg_total_relation_size(inhrelid)) FILTER (WHERE inhparent <> 'exchange'::regclass)::float8 AS contents
  FROM pg_inherits
  WHERE inhparent IN ('exchange'::regclass, 'exchange_content'::regclass, 'exchange_block'::regclass)`

import { randomUUID } from 'node:crypto'
import type { Pool } from '@ratchet/db/connect-pool'

type Values = Readonly<Record<string, unknown>>

interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly is_required: boolean
}

/** Values of columns that must have one, by the type. */
const fillers: Readonly<Record<string, () => unknown>> = {
  uuid: randomUUID,
  text: () => '',
  jsonb: () => '{}',
  bytea: () => Buffer.alloc(0),
  _text: () => [],
  _uuid: () => [],
  bool: () => false,
  timestamptz: () => new Date(),
  date: () => new Date(),
}

/** Inserts a row, with anything in the columns that need a value and are not given. */
export async function insertRow(pool: Pool, table: string, given: Values): Promise<void> {
  const { rows: columns } = await pool.query<ColumnRow>(
    `SELECT column_name AS name, udt_name AS type,
      is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AND is_generated = 'NEVER' AS is_required
     FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
    [table],
  )
  const filled = columns
    .filter(({ name, is_required }) => is_required && !Object.hasOwn(given, name))
    .map(({ name, type }): [string, unknown] => [name, (fillers[type] ?? (() => 0))()])
  const values = { ...Object.fromEntries(filled), ...given }
  const names = Object.keys(values)
  const places = names.map((_, index) => `$${index + 1}`)
  const text = `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${places.join(', ')})`
  await pool.query(text, Object.values(values)).catch((cause: unknown) => {
    throw new Error(`a row of ${table} cannot be inserted`, { cause })
  })
}

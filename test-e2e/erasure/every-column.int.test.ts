import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { erasedColumns } from './erased-columns.ts'
import { otherColumns } from './other-columns.ts'

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 1 })
})
afterAll(async () => {
  await pool?.end()
  await database?.drop()
})

it('says of every column of texts whether an erasure of a person empties it', async () => {
  const { rows } = await pool.query<{ name: string }>(`
    SELECT c.relname || '.' || a.attname AS name FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname <> 'schema_migration'
      AND t.typname IN ('text', 'varchar', 'bpchar', 'json', 'jsonb', 'bytea', '_text', '_jsonb', '_bytea')`)
  const known = [
    ...Object.entries(erasedColumns).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`)),
    ...Object.entries(otherColumns).flatMap(([table, columns]) => columns.split(' ').map((name) => `${table}.${name}`)),
  ]
  expect(known.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { everyRow } from './stored-texts.ts'

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

it('finds the text of a row, also in columns of bytes', async () => {
  await pool.query('CREATE TABLE kept (name text, body bytea)')
  await pool.query('INSERT INTO kept VALUES ($1, $2)', ['a name', Buffer.from('{"key": "sk_secret"}')])
  const texts = (await everyRow(pool)).filter(({ table }) => table === 'kept').map(({ text }) => text)
  expect(texts).toEqual([expect.stringMatching(/a name.*sk_secret/)])
})

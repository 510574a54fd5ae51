import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import fc from 'fast-check'
import { connectPool, type Pool, type PoolClient } from './connect-pool.ts'
import { queryPlain, textArray, wordArray } from './plain-statement.ts'

let database: FreshDatabase
let pool: Pool
let client: PoolClient

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 2 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(async () => {
  client = await pool.connect()
})
afterEach(() => client.release(true))

const echo = { name: 'echo', text: 'SELECT value FROM unnest($1::text[]) AS value' }

it('sends any texts to the server and gets the same back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }).map(withoutNul)), async (texts) => {
      const rows = await queryPlain<[string]>(client, { ...echo, values: [textArray(texts)] })
      expect(rows.map(([text]) => text)).toEqual(texts)
    }),
    { numRuns: 200 },
  )
})

it('treats texts that look like an array, a null or an escape as texts', async () => {
  const texts = ['', 'NULL', '{a,b}', '"', '\\', '\\"', 'a,b', ' a ', "'; --"]
  const rows = await queryPlain<[string]>(client, { ...echo, values: [textArray(texts)] })
  expect(rows.map(([text]) => text)).toEqual(texts)
})

it('returns rows as texts, and an empty list for no rows', async () => {
  const statement = { name: 'sum', text: 'SELECT n, n + $2::bigint FROM unnest($1::bigint[]) AS n' }
  const ask = (numbers: bigint[]) => queryPlain(client, { ...statement, values: [wordArray(numbers), '1'] })
  expect(await ask([1n, 2n ** 62n])).toEqual([
    ['1', '2'],
    ['4611686018427387904', '4611686018427387905'],
  ])
  expect(await ask([])).toEqual([])
})

it('prepares a statement once for each connection', async () => {
  for (const text of ['a', 'b']) await queryPlain(client, { ...echo, values: [textArray([text])] })
  const { rows } = await client.query('SELECT name, generic_plans + custom_plans AS runs FROM pg_prepared_statements')
  expect(rows).toEqual([{ name: 'echo', runs: '2' }])
})

it('rejects with the server’s error, and the connection remains usable', async () => {
  const wrong = { name: 'wrong', text: 'SELECT nothing' }
  await expect(queryPlain(client, { ...wrong, values: [] })).rejects.toMatchObject({ code: '42703' })
  await expect(queryPlain(client, { ...wrong, values: [] })).rejects.toMatchObject({ code: '42703' })
  await expect(queryPlain(client, { ...echo, values: ['{'] })).rejects.toMatchObject({ code: '22P02' })
  expect(await queryPlain(client, { ...echo, values: ['{a}'] })).toEqual([['a']])
})

it('rejects after its timeout', async () => {
  const sleep = { name: 'sleep', text: 'SELECT pg_sleep($1::float)::text' }
  await expect(queryPlain(client, { ...sleep, values: ['5'], timeoutMs: 50 })).rejects.toThrow('Query read timeout')
})

it('rejects when its connection breaks', async () => {
  client.on('error', () => undefined)
  const end = { name: 'end', text: 'SELECT pg_terminate_backend(pg_backend_pid())::text' }
  await expect(queryPlain(client, { ...end, values: [] })).rejects.toBeInstanceOf(Error)
  await expect(queryPlain(client, { ...echo, values: ['{a}'] })).rejects.toBeInstanceOf(Error)
})

/** Postgres stores no NUL, and UTF-8 no half of a surrogate pair. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

import { freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPool, type Pool } from './connect-pool.ts'
import { inTransaction } from './in-transaction.ts'

let pool: Pool
let drop: () => Promise<void>
beforeAll(async () => {
  const database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 2 })
  drop = async () => {
    await pool.end()
    await database.drop()
  }
  await pool.query('CREATE TABLE note (text TEXT)')
})
afterAll(() => drop?.())

const insert = (text: string) => ({ text: 'INSERT INTO note VALUES ($1)', values: [text] })
const notes = async () => (await pool.query('SELECT text FROM note')).rows.map(({ text }) => text)

it('commits all of the work, and returns its result', async () => {
  const result = await inTransaction(pool, async (client) => {
    await client.query(insert('kept'))
    return 7
  })
  expect([result, await notes()]).toEqual([7, ['kept']])
})

it('rolls back work that fails, and the connection can be used again', async () => {
  const failing = inTransaction(pool, async (client) => {
    await client.query(insert('lost'))
    throw new RangeError('no')
  })
  await expect(failing).rejects.toThrow(RangeError)
  const total = pool.totalCount
  expect(await notes()).toEqual(['kept'])
  expect(pool.totalCount).toBe(total)
})

it('survives a connection that breaks in the middle, and does not use it again', async () => {
  const broken = inTransaction(pool, async (client) => {
    await client.query(insert('lost'))
    await client.query('SELECT pg_terminate_backend(pg_backend_pid())')
  })
  await expect(broken).rejects.toThrow(/terminat/)
  expect(await inTransaction(pool, async () => 'goes on')).toBe('goes on')
  expect(await notes()).toEqual(['kept'])
})

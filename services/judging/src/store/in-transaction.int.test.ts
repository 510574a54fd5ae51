import { inTransaction } from './in-transaction.ts'
import { type LabelDatabase, labelDatabase } from './label-database.fixture.ts'

let database: LabelDatabase
beforeAll(async () => {
  database = await labelDatabase()
  await database.operator.query('CREATE TABLE note (text TEXT)')
  await database.operator.query('GRANT SELECT, INSERT ON note TO ratchet_judging')
})
afterAll(() => database?.drop())

const insert = (text: string) => ({ text: 'INSERT INTO note VALUES ($1)', values: [text] })
const notes = async () => (await database.pool.query('SELECT text FROM note')).rows.map(({ text }) => text)

it('keeps all of the work, and gives its result', async () => {
  const result = await inTransaction(database.pool, async (client) => {
    await client.query(insert('kept'))
    return 7
  })
  expect([result, await notes()]).toEqual([7, ['kept']])
})

it('keeps nothing of work that fails, and leaves a connection that can be used', async () => {
  const failing = inTransaction(database.pool, async (client) => {
    await client.query(insert('lost'))
    throw new RangeError('no')
  })
  await expect(failing).rejects.toThrow(RangeError)
  const total = database.pool.totalCount
  expect(await notes()).toEqual(['kept'])
  expect(database.pool.totalCount).toBe(total)
})

it('outlives a connection that breaks in the middle, and uses it no more', async () => {
  const broken = inTransaction(database.pool, async (client) => {
    await client.query(insert('lost'))
    await client.query('SELECT pg_terminate_backend(pg_backend_pid())')
  })
  await expect(broken).rejects.toThrow(/terminat/)
  expect(await inTransaction(database.pool, async () => 'goes on')).toBe('goes on')
  expect(await notes()).toEqual(['kept'])
})

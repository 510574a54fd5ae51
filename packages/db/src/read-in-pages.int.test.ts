import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPool, type Pool } from './connect-pool.ts'
import { readInPages } from './read-in-pages.ts'

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 2 })
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

const rowsOf = async (count: number) => {
  const pages: number[] = []
  let sum = 0
  await readInPages<{ n: number }>(
    pool,
    { text: 'SELECT n FROM generate_series(1, $1::int) n ORDER BY n', values: [count] },
    (rows) => {
      pages.push(rows.length)
      sum += rows.reduce((all, { n }) => all + n, 0)
    },
  )
  return { pages, sum }
}

it.each([
  [0, [0]],
  [3, [3]],
  [5_000, [5_000, 0]],
  [12_000, [5_000, 5_000, 2_000]],
])('reads %i rows, each once', async (count, pages) => {
  expect(await rowsOf(count)).toEqual({ pages, sum: (count * (count + 1)) / 2 })
})

it('reads two statements at the same time, and gives the connection back after an error', async () => {
  expect((await Promise.all([rowsOf(12_000), rowsOf(6_000)])).map(({ pages }) => pages.length)).toEqual([3, 2])
  await expect(readInPages(pool, { text: 'SELECT 1 / $1::int', values: [0] }, () => undefined)).rejects.toThrow('zero')
  expect((await rowsOf(3)).sum).toBe(6)
})

import pg from 'pg'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'

const made: FreshDatabase[] = []
afterEach(async () => {
  await Promise.all(made.splice(0).map((database) => database.drop()))
})

async function fresh(template?: string): Promise<string> {
  const database = await freshDatabase(template)
  made.push(database)
  return database.url
}

it('gives every caller a migrated database of its own, also with many calls at once', async () => {
  const urls = await Promise.all(Array.from({ length: 6 }, () => fresh()))

  expect(new Set(urls).size).toBe(6)
  for (const url of urls) {
    await query(url, "INSERT INTO workspace VALUES (gen_random_uuid(), 'same-slug', 'W', now())")
  }
  expect(await query(urls[0]!, 'SELECT slug FROM workspace')).toEqual([{ slug: 'same-slug' }])
})

it('creates a template that does not exist, once', async () => {
  const template = `ratchet_template_test_${process.pid}`
  const [url = ''] = await Promise.all([fresh(template), fresh(template)])
  try {
    const rows = await query(url, "SELECT datname FROM pg_database WHERE datname LIKE 'ratchet_template_test_%'")
    expect(rows).toEqual([{ datname: template }])
    expect(await query(url, 'SELECT * FROM ledger_entry')).toEqual([])
  } finally {
    await query(process.env.TEST_DATABASE_URL ?? '', `DROP DATABASE IF EXISTS "${template}"`)
  }
})

it('removes the database even while clients are connected', async () => {
  const database = await freshDatabase()
  const client = new pg.Client(database.url)
  client.on('error', () => undefined)
  await client.connect()

  await database.drop()

  await expect(query(database.url, 'SELECT 1')).rejects.toThrow('does not exist')
})

describe('without a server', () => {
  const before = process.env.TEST_DATABASE_URL
  afterEach(() => {
    process.env.TEST_DATABASE_URL = before
  })

  it('names the missing variable and says what to do', async () => {
    delete process.env.TEST_DATABASE_URL

    await expect(freshDatabase()).rejects.toThrow('TEST_DATABASE_URL is not set')
  })

  it('reports that the server does not answer', async () => {
    process.env.TEST_DATABASE_URL = 'postgres://postgres@127.0.0.1:1/postgres'

    await expect(freshDatabase()).rejects.toThrow(/\(TEST_DATABASE_URL\) does not answer: .*ECONNREFUSED/)
  })
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

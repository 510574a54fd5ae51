import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPrisma } from './connect.ts'
import { connectPool } from './connect-pool.ts'
import { Prisma } from './generated/client.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

it.each(Object.values(Prisma.ModelName))(
  '%s can be read: the Prisma schema and the migrations agree',
  async (model) => {
    const db = connectPrisma({ databaseUrl: database.url, max: 1 })
    const delegates = db as unknown as Record<string, { findFirst(): Promise<unknown> } | undefined>
    const delegate = delegates[model[0]?.toLowerCase() + model.slice(1)]

    await expect(delegate?.findFirst()).resolves.toBeNull()

    await db.$disconnect()
  },
)

it('has a Prisma model for every table, so no table is without an owner', async () => {
  const pool = connectPool({ databaseUrl: database.url, max: 1 })
  const { rows } = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1",
  )
  await pool.end()

  const models = Object.values(Prisma.ModelName).map((model) => tableOf(model))
  expect(rows.map(({ name }) => name)).toEqual(models.sort())
})

/** Tables are the models in snake case; `user` is a word of SQL. */
function tableOf(model: string): string {
  const table = model.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
  return table === 'user' ? 'app_user' : table
}

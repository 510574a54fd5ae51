import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPool, type Pool } from './connect-pool.ts'
import { migrationNames } from './migration-names.ts'
import { createSchemaCheck } from './schema-check.ts'

const roles = ['alias', 'edge', 'eval', 'inference', 'judging', 'logging'] as const

let database: FreshDatabase
let operator: Pool
beforeEach(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 1 })
})
afterEach(async () => {
  await operator.end()
  await database.drop()
})

it.each(roles)('lets %s see that the schema is the one this code needs', async (name) => {
  await expect(checkAs(name)).resolves.toBeUndefined()
})

it('fails until the last migration is there, and while it runs', async () => {
  const last = (await migrationNames()).at(-1)
  await operator.query('UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1', [last])
  await expect(checkAs('edge')).rejects.toThrow(`migration ${last} is not applied yet`)

  await operator.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [last])
  await expect(checkAs('edge')).rejects.toThrow(`migration ${last} is not applied yet`)
})

it('takes a database that is ahead', async () => {
  await operator.query(`
    INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
    VALUES ('ahead', '', now(), '99990101000000_ahead', 1)`)

  await expect(checkAs('inference')).resolves.toBeUndefined()
})

it('fails on a database that was never migrated', async () => {
  await operator.query('DROP TABLE _prisma_migrations')

  await expect(checkAs('logging')).rejects.toThrow('_prisma_migrations')
})

async function checkAs(name: (typeof roles)[number]): Promise<void> {
  const pool = connectPool({ databaseUrl: database.url, max: 1, role: `ratchet_${name}` })
  try {
    await createSchemaCheck(pool)()
  } finally {
    await pool.end()
  }
}

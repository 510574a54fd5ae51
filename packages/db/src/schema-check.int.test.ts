import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPool, type Pool } from './connect-pool.ts'
import { migrationNames } from './migration-names.ts'
import { createSchemaCheck } from './schema-check.ts'

const roles = ['alias', 'edge', 'eval', 'inference', 'judging', 'logging', 'training', 'voice'] as const

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

it.each(roles)('passes for %s', async (name) => {
  await expect(checkAs(name)).resolves.toBeUndefined()
})

it('fails until the last migration is applied', async () => {
  const last = (await migrationNames()).at(-1)
  await operator.query('DELETE FROM schema_migration WHERE name = $1', [last])

  await expect(checkAs('edge')).rejects.toThrow(`migration ${last} is not applied yet`)
})

it('passes for a database of a newer release', async () => {
  await operator.query("INSERT INTO schema_migration (name, run_on) VALUES ('99990101000000_ahead', now())")

  await expect(checkAs('inference')).resolves.toBeUndefined()
})

it('fails on a database that was never migrated', async () => {
  await operator.query('DROP TABLE schema_migration')

  await expect(checkAs('logging')).rejects.toThrow('schema_migration')
})

async function checkAs(name: (typeof roles)[number]): Promise<void> {
  const pool = connectPool({ databaseUrl: database.url, max: 1, role: `ratchet_${name}` })
  try {
    await createSchemaCheck(pool)()
  } finally {
    await pool.end()
  }
}

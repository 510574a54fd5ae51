import { randomBytes } from 'node:crypto'
import { connectPool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLog } from './logged-exchanges.ts'
import { workspaceWith } from './workspace-with.ts'

/* A fleet whose processes log in to Postgres as production does: each service with its own login. */

const services = ['edge', 'inference', 'logging', 'judging', 'eval', 'alias', 'training', 'dashboard'] as const
const suffix = randomBytes(4).toString('hex')
let fleet: Fleet

function asOwner(databaseUrl: string, statement: (service: string) => string): Promise<void> {
  const pool = connectPool({ databaseUrl, max: 1 })
  const run = async () => {
    for (const service of services) await pool.query(statement(service))
  }
  return run().finally(() => pool.end())
}

beforeAll(async () => {
  fleet = await startFleet({
    judges: true,
    evals: true,
    aliases: true,
    training: true,
    dashboard: true,
    loginOf: (service) => ({ username: `${service}_${suffix}`, password: 'secret' }),
    beforeStart: (databaseUrl) =>
      asOwner(
        databaseUrl,
        (service) =>
          `CREATE ROLE ${service}_${suffix} LOGIN PASSWORD 'secret'; GRANT ratchet_${service} TO ${service}_${suffix}`,
      ),
  })
}, 300_000)
afterAll(async () => {
  const databaseUrl = fleet?.databaseUrl
  await fleet?.stop()
  if (databaseUrl === undefined) return
  const server = new URL(databaseUrl)
  server.pathname = '/postgres'
  await asOwner(server.href, (service) => `DROP ROLE ${service}_${suffix}`)
}, 180_000)

it('becomes ready, serves requests and stores the log, and no process is the owner of the tables', async () => {
  const { apiKey, workspaceId } = await workspaceWith(fleet, { loggingEnabled: true })
  expect((await postChat(fleet, { model: 'sim/echo', apiKey })).status).toBe(200)
  await eventually(async () => expect(await readLog(fleet, workspaceId)).toHaveLength(1), {
    withinMs: 45_000,
  })
  const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  const { rows } = await pool.query<{ usename: string }>(
    'SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  await pool.end()
  expect(rows.map(({ usename }) => usename).toSorted()).toEqual(
    services.map((service) => `${service}_${suffix}`).toSorted(),
  )
})

import { rm } from 'node:fs/promises'
import { connectPool } from '@ratchet/db/connect-pool'
import { migrate } from '@ratchet/db/migrate'
import { startTlsStores, type TlsStores } from '@ratchet/infra/stores/tls-stores.fixture'
import { makeTempFolder } from '@ratchet/infra/test/with-temp-folder'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLog } from './logged-exchanges.ts'
import { workspaceWith } from './workspace-with.ts'

/* Every process of a fleet whose Postgres and Redis accept encrypted connections only. */

const folder = makeTempFolder()
let stores: TlsStores
let fleet: Fleet
let databaseUrl: string

beforeAll(async () => {
  stores = await startTlsStores(folder)
  const trusting = `?sslmode=verify-full&sslrootcert=${encodeURIComponent(stores.trustedFile)}`
  databaseUrl = stores.databaseUrl + trusting
  await migrate(databaseUrl)
  fleet = await startFleet({
    judges: true,
    evals: true,
    aliases: true,
    stores: { databaseUrl, redisUrl: stores.redisUrl },
    env: { NODE_EXTRA_CA_CERTS: stores.trustedFile },
  })
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  await stores?.stop()
  await rm(folder, { recursive: true, force: true })
}, 180_000)

it('encrypts every connection to Postgres', async () => {
  const pool = connectPool({ databaseUrl, max: 1, connectTimeoutMs: 10_000 })
  const { rows } = await pool.query<{ ssl: boolean; processes: number }>(
    `SELECT ssl, count(*)::int AS processes FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
     WHERE backend_type = 'client backend' GROUP BY ssl`,
  )
  await pool.end()
  expect(rows.map(({ ssl }) => ssl)).toEqual([true])
})

it('serves a request, and stores it in the log through Redis', async () => {
  const { apiKey, workspaceId } = await workspaceWith(fleet, { loggingEnabled: true })
  expect((await postChat(fleet, { model: 'sim/echo', apiKey })).status).toBe(200)
  await eventually(async () => expect(await readLog(fleet, workspaceId)).toHaveLength(1), {
    withinMs: 45_000,
  })
})

import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { type LoggingService, startLoggingService } from '../logging-service.fixture.ts'
import { logIdOf } from '../logs/log-id.ts'

let service: LoggingService
let pool: Pool

beforeAll(async () => {
  service = await startLoggingService()
  pool = connectPool({ databaseUrl: service.databaseUrl, role: 'ratchet_logging', max: 1 })
}, 60_000)
afterAll(async () => {
  await pool?.end()
  await service?.stop()
}, 60_000)

it('a lowered retention shows when entries and traces expire before the sweep has shortened them', async () => {
  const at = new Date()
  const [createdAt, expiresAt] = [new Date(at.getTime() - dayMs), new Date(at.getTime() + 29 * dayMs)]
  const scope = { workspaceId: service.workspaceId, at }
  const [uuid = ''] = await storeExchanges(pool, scope, [{ createdAt, expiresAt, traceId: 'a-trace' }])
  const id = logIdOf(uuid)
  const shown = async () => {
    const bodies = [`/v1/logs/${id}`, '/v1/logs?content=none', '/v1/logs', '/v1/traces', '/v1/traces/a-trace'].map(
      async (path) => JSON.stringify(await (await service.send({ path })).json()),
    )
    return (await Promise.all(bodies)).flatMap((body) =>
      [...body.matchAll(/"expires_at":"([^"]*)"/g)].map(([, at]) => at),
    )
  }
  expect(new Set(await shown())).toEqual(new Set([expiresAt.toISOString()]))
  await service.operator.query('UPDATE workspace_settings SET retention_days = 7 WHERE workspace_id = $1', [
    service.workspaceId,
  ])
  const times = await shown()
  expect(times).toHaveLength(6)
  expect(new Set(times)).toEqual(new Set([new Date(createdAt.getTime() + 7 * dayMs).toISOString()]))
})

it('a trace of imported steps expires with their import, however old they are', async () => {
  const at = new Date()
  const [createdAt, expiresAt] = [new Date(at.getTime() - 400 * dayMs), new Date(at.getTime() + 5 * dayMs)]
  const scope = { workspaceId: service.workspaceId, at }
  await storeExchanges(pool, scope, [{ source: 'import', createdAt, expiresAt, traceId: 'imported' }])
  const answer = await service.send({ path: '/v1/traces/imported' })
  expect(await answer.json()).toMatchObject({ expires_at: expiresAt.toISOString() })
})

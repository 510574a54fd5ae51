import { brandOf } from '@ratchet/contracts/brand'
import { requestIdHeader } from '@ratchet/contracts/identity'
import { createDrain } from '@ratchet/service-kit/drain'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { silentLogger } from '@ratchet/testing/silent-logger'
import request from 'supertest'
import { createApp } from './app.ts'
import { catalogOf, modelEntry } from './domain/catalog.fixture.ts'
import { createActiveExchanges } from './exchange/active-exchanges.ts'
import { createMemoryLedger } from './store/memory-ledger.ts'

const { now } = fixedClock()
const app = createApp({
  catalog: catalogOf([modelEntry('acme/fast')], []),
  configuredProviders: new Set(['acme']),
  ledger: createMemoryLedger(),
  active: createActiveExchanges(),
  callProvider: () => {
    throw new Error('nobody is called here')
  },
  slowReaderMs: 1_000,
  identityKeys: [],
  brand: brandOf(),
  logger: silentLogger,
  metrics: createProcessMetrics('test'),
  health: { drain: createDrain(), checks: {}, now },
  serveMetrics: true,
  now,
})

it.each<[string, Record<string, string>]>([
  ['no id', {}],
  ['an empty id', { [requestIdHeader]: '' }],
])('gives a request that comes with %s one of its own, on the answer as in its envelope', async (_name, headers) => {
  const answers = [await request(app).get('/v1/models').set(headers), await request(app).get('/v1/models').set(headers)]
  const ids = answers.map(({ body }) => body.error.request_id)
  expect(answers.map((answer) => answer.headers[requestIdHeader])).toEqual(ids)
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

it('keeps the id that the edge gave', async () => {
  const { body } = await request(app).get('/v1/models').set(requestIdHeader, 'from-the-edge')
  expect(body.error.request_id).toBe('from-the-edge')
})

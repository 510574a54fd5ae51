import { randomBytes } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { createDrain } from '@ratchet/service-kit/drain'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import { signIdentity } from '@ratchet/service-kit/identity'
import { requireIdentity } from '@ratchet/service-kit/require-identity'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { silentLogger } from '@ratchet/testing/silent-logger'
import request from 'supertest'
import { inlineRedactor } from '../redaction/inline-redactor.fixture.ts'
import { redactionRoutes } from './redactions.ts'

const key = { id: 'k1', secret: randomBytes(32) }
const uuid = '00000000-0000-7000-8000-000000000001'
const path = '/internal/redactions'
const now = () => new Date()
const app = createHttpApp({
  logger: silentLogger,
  metrics: createProcessMetrics('test'),
  health: { drain: createDrain(), checks: {}, now },
  serveMetrics: false,
  requestId: () => 'r1',
  routes: (router) => {
    router.use(requireIdentity({ audience: 'logging', keys: [key], now, logger: silentLogger }))
    redactionRoutes(router, { redactor: inlineRedactor })
  },
})

function redact(documents: unknown) {
  const bound = { audience: 'logging', requestId: 'r1', method: 'POST', path }
  const identity = { workspaceId: uuid, userId: uuid, keyId: uuid, role: 'member' } as const
  const vouched = { [requestIdHeader]: 'r1', [identityHeader]: signIdentity(key, bound, identity, Date.now()) }
  return request(app).post(path).set(vouched).send({ documents })
}

it('takes the secrets out of documents, and tells of those that have none or cannot be read', async () => {
  const document = { messages: [{ role: 'user', content: 'AKIAQYLPMN5HNM4OZ56B' }], rationale: 'fine', tools: null }
  const { status, body } = await redact([JSON.stringify(document), '{"response":{"content":"hello"}}', '{'])
  expect([status, body.data]).toEqual([
    200,
    [
      { kind: 'done', document: JSON.stringify(document).replace('AKIAQYLPMN5HNM4OZ56B', '[redacted]') },
      { kind: 'done', document: null },
      { kind: 'failed' },
    ],
  ])
})

it('refuses what is no list of texts', async () => {
  const { status, body } = await redact([{}])
  expect([status, body.error.param]).toEqual([400, 'documents.0'])
})

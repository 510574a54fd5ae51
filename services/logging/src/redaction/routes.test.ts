import { testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import { inlineRedactor } from './inline-redactor.fixture.ts'
import { redactionRoutes } from './routes.ts'

const uuid = '00000000-0000-7000-8000-000000000001'
const path = '/internal/redactions'
const { app, headersFor } = testApp({
  audience: 'logging',
  now: () => new Date(),
  routes: (router) => redactionRoutes(router, { redactor: inlineRedactor }),
})

function redact(documents: unknown) {
  return request(app)
    .post(path)
    .set(headersFor('POST', path, uuid))
    .send({ documents })
}

it('redacts documents, and reports those without secrets and those that cannot be read', async () => {
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

it('refuses a body that is not a list of texts', async () => {
  const { status, body } = await redact([{}])
  expect([status, body.error.param]).toEqual([400, 'documents.0'])
})

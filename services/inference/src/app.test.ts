import { requestIdHeader } from '@ratchet/contracts/identity'
import request from 'supertest'
import { testDeps } from './app.fixture.ts'
import { createApp } from './app.ts'

const app = createApp(
  testDeps({
    dialects: new Set(['chat']),
    start() {
      throw new Error('the provider must not be called')
    },
  }),
)

it.each<[string, Record<string, string>]>([
  ['no id', {}],
  ['an empty id', { [requestIdHeader]: '' }],
])('gives a request with %s an id of its own, in the header and in the envelope', async (_name, headers) => {
  const answers = [await request(app).get('/v1/models').set(headers), await request(app).get('/v1/models').set(headers)]
  const ids = answers.map(({ body }) => body.error.request_id)
  expect(answers.map((answer) => answer.headers[requestIdHeader])).toEqual(ids)
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

it('uses the id that the edge set', async () => {
  const { body } = await request(app).get('/v1/models').set(requestIdHeader, 'from-the-edge')
  expect(body.error.request_id).toBe('from-the-edge')
})

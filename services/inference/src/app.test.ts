import { requestIdHeader } from '@ratchet/contracts/identity'
import request from 'supertest'
import { testDeps } from './app.fixture.ts'
import { createApp } from './app.ts'

const app = createApp(
  testDeps({
    dialects: new Set(['chat']),
    start() {
      throw new Error('nobody is called here')
    },
  }),
)

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

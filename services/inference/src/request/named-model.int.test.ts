import { modelHeader } from '@ratchet/contracts/identity'
import supertest from 'supertest'
import { signed } from './aliased-app.fixture.ts'
import { startWireApp } from './wire-app.fixture.ts'

let wire: Awaited<ReturnType<typeof startWireApp>>
beforeAll(async () => {
  wire = await startWireApp()
})
afterAll(() => wire.stop())

const messages = [{ role: 'user', content: 'hi' }]

it.each([{}, { model: 'gpt-4o' }])(
  'the model that the path names answers, whatever the body names: %j',
  async (body) => {
    const answer = await wire.send({ ...body, messages }, { [modelHeader]: 'sim-anthropic/small' })
    expect([answer.status, answer.headers['x-svc-served-model']]).toEqual([200, 'sim-anthropic/small'])
  },
)

it('a body that is not UTF-8 is refused', async () => {
  const path = '/v1/chat/completions'
  const body = Buffer.from('{"model":"sim/small","messages":[{"role":"user","content":"caf\xe9"}]}', 'latin1')
  const answer = await supertest(wire.app)
    .post(path)
    .set(signed(path))
    .type('json')
    .serialize((sent) => sent)
    .send(body as never)
  expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, 'invalid_request', 'body'])
})

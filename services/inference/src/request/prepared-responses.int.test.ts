import { codexBody, eventsOf } from './codex.fixture.ts'
import { startWireApp } from './wire-app.fixture.ts'

let wire: Awaited<ReturnType<typeof startWireApp>>
beforeAll(async () => {
  wire = await startWireApp()
})
afterAll(() => wire.stop())

const send = (body: object) => wire.send(body, {}, '/v1/responses')

describe.each(['sim/tools', 'claude-opus-5-5'])('a response of %s that is only prepared', (model) => {
  it('is complete, has no output, and calls no model', async () => {
    const before = wire.last()
    const answer = await send({ ...codexBody, model, stream: false, generate: false })
    expect([answer.status, answer.headers['x-svc-logged']]).toEqual([200, 'off; endpoint'])
    expect(answer.body).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      status: 'completed',
      model: expect.any(String),
      output: [],
      store: false,
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 },
    })
    expect(wire.last()).toBe(before)
  })

  it('is streamed as a response that is complete at once, also before there is any input', async () => {
    const { status, text } = await send({ ...codexBody, model, generate: false, input: [] })
    expect(status).toBe(200)
    expect(eventsOf(text).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ])
  })
})

it.each([true, null])('is sent to the model without `generate: %s`', async (generate) => {
  expect((await send({ model: 'sim/tools', input: 'hi', generate })).status).toBe(200)
  expect(wire.last()?.body).not.toHaveProperty('generate')
})

it('is checked as any other request', async () => {
  expect((await send({ model: 'no-model', input: 'hi', generate: false })).status).toBe(404)
  expect((await send({ model: 'sim/tools', input: [], generate: true })).body.error.param).toBe('input')
  expect((await send({ model: 'sim/tools', input: 'hi', generate: 1 })).body.error.param).toBe('generate')
})

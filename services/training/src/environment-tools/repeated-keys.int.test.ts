import { httpTool, staticTool, type ToolApp, toolApp } from './tool-app.fixture.ts'

let app: ToolApp
beforeAll(async () => {
  app = await toolApp()
})
afterAll(() => app.drop())

const path = '/v1/environment_tools'
const total = async () => (await app.send('get', path)).body.total

it('creates one tool for a key, and shows its signing secret again, which is not stored readable', async () => {
  const body = { ...httpTool('https://a.example.com'), name: 'once' }
  const first = await app.postOnce('a', path, body)
  expect([first.status, first.body.signing_secret]).toEqual([201, expect.stringMatching(/^whsec_/)])
  const again = await app.postOnce('a', path, body)
  expect([again.status, again.body, again.headers['idempotent-replay']]).toEqual([201, first.body, 'true'])
  expect(await total()).toBe(1)
  const { rows } = await app.pool.query('SELECT answer FROM training_answer')
  expect(JSON.stringify(rows)).not.toContain('whsec_')
  const other = await app.postOnce('a', path, { ...body, description: 'Another.' })
  expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  expect((await app.send('delete', `${path}/${first.body.id}`)).status).toBe(200)
  expect((await app.postOnce('a', path, body)).status).toBe(404)
})

it('leaves the key of a refused request free', async () => {
  const body = { ...staticTool(), name: 'free' }
  await app.postOnce('b', path, body)
  expect((await app.postOnce('c', path, body)).body.error.code).toBe('conflict')
  expect((await app.postOnce('c', path, { ...body, name: 'freed' })).status).toBe(201)
})

it('creates one tool from traces for a key, which a dry run does not use', async () => {
  const call = { id: 'c', function: { name: 'lookup', arguments: '{"city":"Rome"}' } }
  const tools = [
    { type: 'function', function: { name: 'lookup', description: 'Looks up.', parameters: { type: 'object' } } },
  ]
  for (let index = 0; index < 10; index += 1) {
    const messages = [
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'Sunny.' },
    ]
    app.exchanges.push({ id: `log_${index}`, trace_id: `trace-${index}`, tools, messages } as never)
  }
  const body = { toolName: 'lookup' }
  const traces = `${path}/from_traces`
  expect((await app.postOnce('d', traces, { ...body, dryRun: true })).body.tool).toBeNull()
  const first = await app.postOnce('d', traces, body)
  expect(first.body).toMatchObject({ exchanges_read: 10, tool: { name: 'lookup' } })
  app.exchanges.length = 0
  expect((await app.postOnce('d', traces, body)).body).toEqual(first.body)
})

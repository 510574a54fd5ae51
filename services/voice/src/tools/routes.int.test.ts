import { randomUUID } from 'node:crypto'
import { type Method, newAgent, newTool, type Sent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp()
})
afterAll(() => app.drop())

let workspaceId: string
beforeEach(() => {
  workspaceId = randomUUID()
})

const send = (method: Method, path: string, sent: Sent = {}) => app.send(method, path, { by: workspaceId, ...sent })
const create = (body: object = {}, sent: object = {}) =>
  send('post', '/v1/tools', { body: { ...newTool, ...body }, ...sent })

it('creates a tool, shows its signing secret once, and its secret headers never', async () => {
  const { status, body } = await create()
  expect(status).toBe(201)
  const { signing_secret, ...tool } = body
  expect(signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(tool).toEqual({
    object: 'tool',
    id: expect.stringMatching(/^vtool_[0-9a-f]{32}$/),
    name: 'find_order',
    description: newTool.description,
    parameters: newTool.parameters,
    http: {
      url: 'https://example.com/orders',
      method: 'POST',
      headers: {},
      secret_header_names: ['authorization'],
      timeout_ms: 5_000,
    },
    side_effects: true,
    speak_after_ms: 700,
    filler: null,
    result_max_bytes: 16_384,
    version: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect((await send('get', `/v1/tools/${tool.id}`)).body).toEqual(tool)
  expect((await send('get', '/tools')).body.data).toEqual([tool])
  const { rows } = await app.operator.query(
    'SELECT settings::text, encode(ciphertext, $1) AS sealed FROM voice_tool JOIN voice_tool_secret USING (id)',
    ['escape'],
  )
  expect(JSON.stringify(rows)).not.toContain('123456')
})

it('refuses the name of another tool or of a built-in one with 409, in this workspace only', async () => {
  await create()
  const again = await create()
  expect([again.status, again.body]).toEqual([
    409,
    { error: { code: 'CONFLICT', message: 'Another tool is named find_order.' } },
  ])
  expect((await create({ name: 'end_call' })).body.error.code).toBe('CONFLICT')
  expect((await create({}, { by: randomUUID() })).status).toBe(201)
  const { body: other } = await create({ name: 'other' })
  expect((await send('patch', `/v1/tools/${other.id}`, { body: { name: 'find_order' } })).status).toBe(409)
  const both = await Promise.all([create({ name: 'race' }), create({ name: 'race' })])
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
})

it.each([
  [{ http: { url: 'http://example.com' } }, /http\.url/],
  [{ http: { url: 'https://10.0.0.1/x' } }, /http\.url/],
  [{ http: { url: 'https://localhost/x' } }, /http\.url/],
  [{ parameters: { type: 'array' } }, /parameters/],
  [{ parameters: { $ref: '#/$defs/a' } }, /parameters/],
  [{ parameters: { type: 'object', properties: { a: { pattern: '(' } } } }, /parameters/],
  [{ name: '1tool' }, /name/],
  [{ http: { url: 'https://example.com', timeout_ms: 30_000 } }, /http\.timeout_ms/],
  [{ http: { ...newTool.http, secret_headers: { authorization: 'short' } } }, /secret_headers/],
])('refuses %j', async (body, message) => {
  const refused = await create(body)
  expect(refused.status).toBe(400)
  expect(refused.body).toEqual({ error: { code: 'INVALID_BODY', message: expect.stringMatching(message) } })
})

it('changes a tool, and keeps secrets only for the address for which they were stated', async () => {
  const { body: tool } = await create()
  const path = `/v1/tools/${tool.id}`
  const change = (body: object, headers = {}) => send('patch', path, { body, headers })
  expect((await change({ http: { url: newTool.http.url, timeout_ms: 900 } })).body).toMatchObject({
    version: 2,
    http: { timeout_ms: 900, secret_header_names: ['authorization'] },
  })
  const other = await change({ http: { url: 'https://example.com/other' } })
  expect(other.body.error.message).toMatch(/must be stated again/)
  const moved = await change({ http: { url: 'https://example.org/' } })
  expect(moved.body.error.message).toMatch(/must be stated again/)
  const stated = await change({
    http: { url: 'https://example.org/', secret_headers: { authorization: 'Bearer 654321' } },
  })
  expect(stated.body.http.url).toBe('https://example.org/')
  expect((await change({ http: { secret_headers: { authorization: null } } })).body.http.secret_header_names).toEqual(
    [],
  )
  expect((await change({ filler: 'One moment.' }, { 'if-match': '1' })).status).toBe(409)
  expect((await change({ filler: 'One moment.' }, { 'if-match': '4' })).body).toMatchObject({ version: 5 })
})

it('deletes a tool unless the newest or published version of an agent has it', async () => {
  const { body: tool } = await create()
  const { body: agent } = await send('post', '/v1/agents', { body: { ...newAgent, tool_ids: [tool.id] } })
  const remove = () => send('delete', `/v1/tools/${tool.id}`)
  expect((await remove()).body.error).toEqual({
    code: 'CONFLICT',
    message: 'These agents use the tool: Reception. Change them first.',
  })
  await send('patch', `/v1/agents/${agent.id}`, { body: { tool_ids: [], publish: false } })
  expect((await remove()).status).toBe(409)
  await send('post', `/v1/agents/${agent.id}/versions/2/publish`)
  expect((await remove()).body).toEqual({ object: 'tool', id: tool.id, deleted: true })
  expect((await remove()).status).toBe(404)
})

it('leaves no agent with a deleted tool when both happen at once', async () => {
  for (let i = 0; i < 5; i++) {
    const { body: tool } = await create({ name: `tool_${i}` })
    const [agent, deleted] = await Promise.all([
      send('post', '/v1/agents', { body: { ...newAgent, tool_ids: [tool.id] } }),
      send('delete', `/v1/tools/${tool.id}`),
    ])
    expect([`${agent.status} ${deleted.status}`]).toEqual([expect.stringMatching(/^(201 409|404 200)$/)])
  }
})

it('calls a tool on demand, and reports a failure as a result', async () => {
  const { body: tool } = await create({ http: { url: 'https://tools.test/x', timeout_ms: 100 } })
  const tested = await send('post', `/v1/tools/${tool.id}/test`, { body: { arguments: { number: '1' } } })
  expect(tested.status).toBe(200)
  expect(tested.body).toEqual({
    object: 'tool.test',
    ok: false,
    result: expect.stringMatching(/^\[tool failed: /),
    status: null,
    duration_ms: expect.any(Number),
  })
})

it('answers for tools of other workspaces exactly as for absent ones', async () => {
  const { body: tool } = await create()
  const by = randomUUID()
  for (const [method, body] of [
    ['get', undefined],
    ['patch', { description: 'Mine.' }],
    ['delete', undefined],
  ] as const) {
    const foreign = await send(method, `/v1/tools/${tool.id}`, { body, by })
    const missing = await send(method, `/v1/tools/vtool_${'0'.repeat(32)}`, { body, by })
    expect([foreign.status, foreign.body]).toEqual([404, missing.body])
  }
  expect((await send('get', '/v1/tools', { by })).body.total).toBe(0)
})

import { randomUUID } from 'node:crypto'
import { newAgent, newTool, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp()
})
afterAll(() => app.drop())

const create = async (body: object = {}, sent: object = {}) =>
  app.send('post', '/v1/agents', { body: { ...newAgent, ...body }, ...sent })

it('creates an agent with the defaults of every field, and publishes its first version', async () => {
  const created = await create()
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    object: 'agent',
    id: expect.stringMatching(/^agent_[0-9a-f]{32}$/),
    ...newAgent,
    language: 'en-US',
    variables: [{ name: 'company', default: 'Example Ltd', required: false, secret: false }],
    first_message: null,
    first_message_mode: 'agent_speaks',
    temperature: null,
    max_response_tokens: 300,
    tool_ids: [],
    stt: { provider: null, model: null, keywords: [] },
    speech: { speed: 1, volume: 1 },
    turn_taking: {
      detector: 'vad',
      min_endpoint_ms: 300,
      max_endpoint_ms: 2_000,
      backchannels: [],
      first_message_interruptible: true,
    },
    interruption_sensitivity: 0.5,
    silence_timeout_seconds: 30,
    reminders: [],
    max_duration_seconds: 600,
    voicemail: { detect: false, action: 'hangup', message: null },
    dtmf: { enabled: false, finish_on: '#', timeout_ms: 3_000, secret: false, can_send: false },
    transfers: [],
    end_call: true,
    recording_enabled: false,
    recording_consent: 'none',
    consent_text: null,
    ai_disclosure: true,
    privacy: { redact_transcript: true, retention_days: 30 },
    webhook_url: null,
    criterion_ids: [],
    metadata: {},
    version: 1,
    published_version: 1,
    canary_version: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect((await app.send('get', `/v1/agents/${created.body.id}`)).body).toEqual(created.body)
  expect((await app.send('get', `/agents/${created.body.id}`)).body).toEqual(created.body)
})

it('makes a version of every change, which never changes, and publishes it unless it is a draft', async () => {
  const { body: agent } = await create()
  const path = `/v1/agents/${agent.id}`
  const second = await app.send('patch', path, { body: { name: 'Front desk' } })
  expect(second.body).toMatchObject({ name: 'Front desk', version: 2, published_version: 2 })
  const draft = await app.send('patch', path, { body: { first_message: 'Hello!', publish: false } })
  expect(draft.body).toMatchObject({ first_message: 'Hello!', version: 3, published_version: 2 })
  const { body: versions } = await app.send('get', `${path}/versions`)
  expect(versions).toMatchObject({ total: 3, has_more: false })
  expect(versions.data.map((each: { version: number }) => each.version)).toEqual([3, 2, 1])
  expect(versions.data.map((each: { is_published: boolean }) => each.is_published)).toEqual([false, true, false])
  expect((await app.send('get', `${path}/versions/1`)).body).toMatchObject({ name: 'Reception', version: 1 })
  const back = await app.send('post', `${path}/versions/1/publish`)
  expect(back.body).toMatchObject({ version: 3, published_version: 1 })
  expect((await app.send('post', `${path}/versions/9/publish`)).status).toBe(404)
  const { rows } = await app.operator.query(
    'SELECT kind, version FROM agent_event WHERE workspace_id = $1 ORDER BY at',
    [app.workspaceId],
  )
  expect(rows.slice(-4)).toEqual([
    { kind: 'created', version: 1 },
    { kind: 'changed', version: 2 },
    { kind: 'changed', version: 3 },
    { kind: 'published', version: 1 },
  ])
})

it('has one hash for equal settings', async () => {
  const [{ body: one }, { body: other }] = [await create(), await create({ metadata: {} })]
  const hashOf = async (id: string) => (await app.send('get', `/v1/agents/${id}/versions/1`)).body.sha256
  expect(await hashOf(one.id)).toBe(await hashOf(other.id))
  await app.send('patch', `/v1/agents/${other.id}`, { body: { name: 'Another' } })
  expect((await app.send('get', `/v1/agents/${other.id}/versions/2`)).body.sha256).not.toBe(await hashOf(one.id))
})

it('changes only the version that If-Match names', async () => {
  const { body: agent } = await create()
  const path = `/v1/agents/${agent.id}`
  const send = (ifMatch: string) => app.send('patch', path, { body: { name: 'New' }, headers: { 'if-match': ifMatch } })
  expect((await send('"1"')).body.version).toBe(2)
  expect((await send('1')).body).toEqual({
    error: { code: 'CONFLICT', message: 'The present version is 2. Read it again before you change it.' },
  })
  expect((await send('one')).body.error.code).toBe('INVALID_BODY')
})

it('lets concurrent changes make different versions, or refuses them', async () => {
  const { body: agent } = await create()
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, i) => app.send('patch', `/v1/agents/${agent.id}`, { body: { name: `Name ${i}` } })),
  )
  const made = answers.filter(({ status }) => status === 200).length
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(6 - made)
  expect((await app.send('get', `/v1/agents/${agent.id}`)).body.version).toBe(1 + made)
})

it('creates once for an Idempotency-Key', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const [first, second] = [await create({}, { headers }), await create({}, { headers })]
  expect(second.body).toEqual(first.body)
  expect(second.headers['idempotent-replay']).toBe('true')
  expect((await create({ name: 'Other' }, { headers })).body.error.code).toBe('CONFLICT')
})

it.each([
  [{ language: 'not a language' }, 'INVALID_LANGUAGE', /^No voice speaks this language\. Use for example de-DE, en-GB/],
  [{ language: 'en-AU' }, 'INVALID_LANGUAGE', /Use for example en-GB, en-US\.$/],
  [{ voice: 'sim/other' }, 'INVALID_VOICE', /^There is no such voice\. Use for example sim\/readable\.$/],
  [{ system_prompt: 'For {{someone}}' }, 'INVALID_BODY', /`system_prompt` uses the variable someone/],
  [{ name: '' }, 'INVALID_BODY', /^`name` must not be empty\.$/],
  [{ language: undefined }, 'INVALID_BODY', /^`language` is required\.$/],
  [{ unknown: 1 }, 'INVALID_BODY', /^Unknown parameter: unknown\.$/],
  [{ turn_taking: { min_endpoint_ms: 1_000, max_endpoint_ms: 500 } }, 'INVALID_BODY', /max_endpoint_ms/],
  [{ voicemail: { action: 'message' } }, 'INVALID_BODY', /voicemail\.message/],
  [{ transfers: [{ name: 'desk', to: '0301234', description: 'd' }] }, 'INVALID_BODY', /transfers\.0\.to/],
  [{ webhook_url: 'https://example.com/x' }, 'INVALID_BODY', /webhook_url/],
  [{ voicemail: { detect: true, action: 'message' } }, 'INVALID_BODY', /voicemail\.message/],
  [{ speech: { speed: 1.2 } }, 'INVALID_BODY', /speech/],
  [{ stt: { provider: 'deepgram' } }, 'INVALID_BODY', /stt/],
  [{ metadata: { text: 'x'.repeat(20_000) } }, 'INVALID_BODY', /16 KB/],
])('refuses %j with 400 %s', async (body, code, message) => {
  const refused = await create(body)
  expect(refused.status).toBe(400)
  expect(refused.body).toEqual({ error: { code, message: expect.stringMatching(message) } })
  expect(refused.headers['x-request-id']).toBe('r1')
})

it('refuses a body that is no JSON, a wrong query, and paths that do not exist', async () => {
  const headers = { 'content-type': 'application/json' }
  const malformed = await app.send('post', '/v1/agents', { body: '{', headers })
  expect([malformed.status, malformed.body.error.code]).toEqual([400, 'BAD_REQUEST'])
  const query = await app.send('get', '/v1/agents?limit=0')
  expect([query.status, query.body.error.code]).toEqual([400, 'BAD_REQUEST'])
  const unknown = await app.send('get', '/v1/nothing')
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'NOT_FOUND'])
  const large = await app.send('post', '/v1/agents', { body: { ...newAgent, name: 'x'.repeat(1_100_000) } })
  expect([large.status, large.body.error.code]).toEqual([400, 'INVALID_BODY'])
})

it('has tools only of its own workspace', async () => {
  const { body: tool } = await app.send('post', '/v1/tools', { body: { ...newTool, name: 'own_tool' } })
  expect((await create({ tool_ids: [tool.id] })).body.tool_ids).toEqual([tool.id])
  const foreign = await create({ tool_ids: [tool.id] }, { by: randomUUID() })
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND'])
  expect((await create({ tool_ids: ['vtool_x'] })).body.error.code).toBe('RESOURCE_NOT_FOUND')
})

it('answers for agents of other workspaces exactly as for absent ones', async () => {
  const { body: agent } = await create()
  const by = randomUUID()
  const absent = `agent_${'0'.repeat(32)}`
  for (const [method, tail, body] of [
    ['get', '', undefined],
    ['patch', '', { name: 'Mine' }],
    ['delete', '', undefined],
    ['get', '/versions', undefined],
    ['get', '/versions/1', undefined],
    ['post', '/versions/1/publish', undefined],
  ] as const) {
    const foreign = await app.send(method, `/v1/agents/${agent.id}${tail}`, { body, by })
    const missing = await app.send(method, `/v1/agents/${absent}${tail}`, { body, by })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(missing.body)
    expect(foreign.body.error.code).toBe('RESOURCE_NOT_FOUND')
  }
  expect((await app.send('get', '/v1/agents', { by })).body).toMatchObject({ total: 0, data: [] })
  expect((await app.send('get', `/v1/agents/${agent.id}`)).body).toEqual(agent)
})

it('deletes an agent, and keeps its versions', async () => {
  const { body: agent } = await create()
  expect((await app.send('delete', `/v1/agents/${agent.id}`)).body).toEqual({
    object: 'agent',
    id: agent.id,
    deleted: true,
  })
  expect((await app.send('get', `/v1/agents/${agent.id}`)).status).toBe(404)
  expect((await app.send('delete', `/v1/agents/${agent.id}`)).status).toBe(404)
  const { rows } = await app.operator.query('SELECT count(*)::int AS count FROM agent_version WHERE agent_id = $1', [
    agent.id.slice('agent_'.length),
  ])
  expect(rows).toEqual([{ count: 1 }])
})

it('lists voices and languages', async () => {
  expect((await app.send('get', '/v1/voices?language=de-DE')).body.data).toMatchObject([{ id: 'sim/readable' }])
  expect((await app.send('get', '/v1/voices?language=it-IT')).body.data).toEqual([])
  expect((await app.send('get', '/languages')).body.data).toContainEqual({
    object: 'language',
    id: 'de-DE',
    name: 'German (Germany)',
  })
})

it('reads one page of a workspace at a time, also for who says to read a stream of events', async () => {
  const reads = Array.from({ length: 120 }, () =>
    app.send('get', '/v1/agents', { headers: { accept: 'text/event-stream' } }),
  )
  expect((await Promise.all(reads)).map(({ status }) => status)).toContain(503)
})

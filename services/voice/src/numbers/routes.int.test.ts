import { randomUUID } from 'node:crypto'
import { type Method, newAgent, type Sent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { maxNumbers } from './number.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp()
})
afterAll(() => app.drop())

let workspaceId: string
beforeEach(() => {
  workspaceId = randomUUID()
})

const sip = {
  termination_uri: 'sip:trunk.example.com',
  allowed_ips: ['1.2.3.4', '5.6.7.0/24'],
  auth: { username: 'acme', password: 'open sesame' },
}
const send = (method: Method, path: string, sent: Sent = {}) => app.send(method, path, { by: workspaceId, ...sent })
const create = (body: object = {}, sent: Sent = {}) =>
  send('post', '/v1/numbers', { body: { e164: '+493012345678', provider: 'sip', sip, ...body }, ...sent })

it('adds a number, and shows the password of its trunk nowhere', async () => {
  const { status, body } = await create()
  expect(status).toBe(201)
  const inbound_uri = `sip:${body.id}@sip.voice.test:5060`
  expect(body).toEqual({
    object: 'number',
    id: expect.stringMatching(/^num_[0-9a-f]{32}$/),
    e164: '+493012345678',
    provider: 'sip',
    agent_id: null,
    direction: 'both',
    allowed_countries: ['DE'],
    fallback_number: null,
    max_calls_per_second: 1,
    max_concurrent: 10,
    daily_spend_usd: 50,
    twilio: null,
    telnyx: null,
    sip: {
      termination_uri: sip.termination_uri,
      transport: 'udp',
      allowed_ips: sip.allowed_ips,
      username: 'acme',
      inbound_uri,
    },
    version: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect((await send('get', `/v1/numbers/${body.id}`)).body).toEqual(body)
  expect((await send('get', '/numbers')).body.data).toEqual([body])
  const { rows } = await app.operator.query(
    'SELECT settings::text, encode(ciphertext, $1) AS sealed FROM voice_number JOIN voice_number_secret USING (id)',
    ['escape'],
  )
  expect(JSON.stringify(rows)).not.toContain('sesame')
  expect(JSON.parse(rows[0].settings).sip.target).toEqual({ host: '1.2.3.4', port: 5_060 })
})

it('refuses a number twice in a workspace with 409, and says nothing of those of others', async () => {
  await create()
  expect(await create()).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } })
  expect((await create({}, { by: randomUUID() })).status).toBe(201)
})

it.each([
  ['e164', { e164: '030123' }],
  ['provider', { provider: 'carrier pigeon' }],
  ['sip.termination_uri', { sip: { ...sip, termination_uri: 'sip:127.0.0.1' } }],
  ['sip.termination_uri', { sip: { ...sip, termination_uri: 'sip:10.1.2.3' } }],
  ['sip.termination_uri', { sip: { ...sip, termination_uri: 'sip:localhost' } }],
  ['sip.termination_uri', { sip: { ...sip, termination_uri: 'sip:trunk.example.com:22' } }],
  ['sip.termination_uri', { sip: { ...sip, termination_uri: 'sip:nowhere.example.com' } }],
  ['sip.allowed_ips', { sip: { ...sip, allowed_ips: ['0.0.0.0/0'] } }],
  ['sip.allowed_ips', { sip: { ...sip, allowed_ips: ['192.168.1.1'] } }],
  ['sip.allowed_ips', { sip: { ...sip, allowed_ips: ['1.2.3.4.5'] } }],
  ['sip.allowed_ips', { sip: { ...sip, allowed_ips: [] } }],
])('refuses a wrong %s', async (field, body) => {
  const answer = await create(body)
  expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_BODY'])
  expect(answer.body.error.message).toContain(field)
})

it('has a fallback that it may call, and no other', async () => {
  const { body } = await create({ fallback_number: '+493055555555' })
  expect(body.fallback_number).toBe('+493055555555')
  const patch = (change: object) => send('patch', `/v1/numbers/${body.id}`, { body: change })
  expect((await patch({ max_concurrent: 2 })).body.fallback_number).toBe('+493055555555')
  for (const change of [{ fallback_number: '+12125550123' }, { allowed_countries: ['FR'] }]) {
    expect(await patch(change)).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
  }
  expect((await patch({ fallback_number: null, allowed_countries: ['FR'] })).body.fallback_number).toBeNull()
  const other = { e164: '+493012345679', fallback_number: '+4990012345678' }
  expect((await create(other)).status).toBe(403)
})

it('changes a number; its password must be stated again for another address', async () => {
  const { body: agent } = await send('post', '/v1/agents', { body: newAgent })
  const { body } = await create()
  const path = `/v1/numbers/${body.id}`
  const changed = await send('patch', path, { body: { agent_id: agent.id, direction: 'inbound', max_concurrent: 3 } })
  expect(changed.body).toMatchObject({ agent_id: agent.id, direction: 'inbound', max_concurrent: 3, version: 2 })
  expect(changed.body.sip).toEqual(body.sip)
  const elsewhere = { termination_uri: 'sip:1.2.3.9' }
  expect((await send('patch', path, { body: { sip: elsewhere } })).body.error.message).toContain('sip.auth')
  const moved = await send('patch', path, { body: { sip: { ...elsewhere, auth: null } } })
  expect(moved.body.sip).toMatchObject({ ...elsewhere, username: null })
  expect((await send('patch', path, { body: {}, headers: { 'if-match': '1' } })).status).toBe(409)
  expect((await send('patch', path, { body: { agent_id: 'agent_00000000000000000000000000000000' } })).status).toBe(404)
  expect((await send('delete', `/v1/agents/${agent.id}`)).status).toBe(409)
  expect((await send('delete', path)).body).toEqual({ object: 'number', id: body.id, deleted: true })
  expect((await send('get', path)).status).toBe(404)
})

it('shows keys of one user the numbers of that user', async () => {
  const userId = randomUUID()
  const voice = { env: 'live', scope: 'user' } as const
  await create()
  const own = await create({ e164: '+493012345679' }, { userId, voice })
  const { data, total } = (await send('get', '/v1/numbers', { userId, voice })).body
  expect([total, data.map(({ id }: { id: string }) => id)]).toEqual([1, [own.body.id]])
})

it('adds no number beyond the limit, however many are added at the same moment', async () => {
  await app.operator.query(
    `INSERT INTO voice_number (id, workspace_id, owner_user_id, e164, provider, direction, settings, created_at, updated_at)
      SELECT gen_random_uuid(), $1, $1, '+4930' || n, 'sip', 'both', '{}', now(), now() FROM generate_series(1, $2::int) n`,
    [workspaceId, maxNumbers - 1],
  )
  const added = await Promise.all(Array.from({ length: 8 }, (_, n) => create({ e164: `+49301234567${n}` })))
  expect(added.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
})

it('asks about a few of the numbers of a workspace at a time', async () => {
  const { body } = await create()
  const checks = Array.from({ length: 12 }, () => send('post', `/v1/numbers/${body.id}/check`))
  const waits = (await Promise.all(checks)).map(({ status, headers }) => [status, headers['retry-after']])
  expect(waits.filter(([, seconds]) => seconds === '1').length).toBeGreaterThanOrEqual(7)
}, 60_000)

it('asks no worker whether a trunk answers when none is there', async () => {
  const { body } = await create()
  expect((await send('post', `/v1/numbers/${body.id}/check`)).status).toBe(503)
})

describe('a call to a telephone', () => {
  const order = async (body: object, settings: object = {}, sent: Sent = {}) => {
    const { body: agent } = await send('post', '/v1/agents', { body: newAgent })
    const { body: number } = await create(settings)
    return send('post', '/v1/calls/create', { body: { agent_id: agent.id, number_id: number.id, ...body }, ...sent })
  }

  it.each([
    ['a number of a premium range', '+4990012345678', {}],
    ['a number with a shared charge', '+4918012345678', {}],
    ['a satellite', '+870773111632', { allowed_countries: ['DE', 'US'] }],
    ['another country', '+12125550123', {}],
    ['no number that exists', '+4911', {}],
  ])('is refused to %s', async (_what, to_number, settings) => {
    const { status, body } = await order({ to_number }, settings)
    expect([status, body.error.code]).toEqual([
      to_number === '+4911' ? 400 : 403,
      to_number === '+4911' ? 'INVALID_BODY' : 'FORBIDDEN',
    ])
  })

  it('is refused for keys of tests, from numbers that only take calls, and beyond the spend of a day', async () => {
    const to_number = '+493087654321'
    expect((await order({ to_number }, {}, { voice: { env: 'test', scope: 'workspace' } })).status).toBe(403)
    workspaceId = randomUUID()
    expect((await order({ to_number }, { direction: 'inbound' })).status).toBe(403)
    workspaceId = randomUUID()
    expect((await order({ to_number }, { daily_spend_usd: 0 })).status).toBe(403)
    workspaceId = randomUUID()
    expect((await order({ to_number, number_id: 'num_00000000000000000000000000000000' })).status).toBe(404)
    expect((await order({ to_number, type: 'web' }, { e164: '+493012345670' })).status).toBe(400)
    app.money.isCovered = false
    const refused = await order({ to_number }, { e164: '+493012345671' })
    app.money.isCovered = true
    expect([refused.status, refused.body.error.code]).toEqual([402, null])
  })

  it('waits, is stopped, and is listed by its number', async () => {
    const { status, body } = await order({ to_number: '+493087654321', metadata: { a: 1 } })
    expect(status).toBe(201)
    const listed = await send('get', `/v1/calls?number_id=${body.number_id}&direction=outbound&type=phone`)
    expect(listed.body.data).toEqual([body])
    expect((await send('post', `/v1/calls/${body.id}/transfer`, { body: { to: '+493087654321' } })).status).toBe(409)
    const stopped = await send('post', `/v1/calls/${body.id}/stop`)
    expect(stopped.body).toMatchObject({ status: 'canceled', ended_reason: 'canceled', to_number: '+493087654321' })
    await send('delete', `/v1/calls/${body.id}`)
    expect((await send('get', `/v1/calls/${body.id}`)).body).toMatchObject({
      to_number: null,
      from_number: '+493012345678',
    })
  })
})

import { randomUUID } from 'node:crypto'
import { newAgent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { createTestCall, uuidOfCall } from './call-system.fixture.ts'
import { createPgCallUpkeep, createPgCallWork } from './pg-call-work.ts'
import { createCallUpkeep } from './upkeep.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp()
  await createPgCallWork(app.pool).publish({ id: 'w1', calls: 0, maxCalls: 20 })
})
afterAll(() => app.drop())

const fresh = () => ({ by: randomUUID() })

it('refuses a call that the wallet does not cover, with 402 and without a code', async () => {
  app.money.isCovered = false
  const { status, call } = await createTestCall(app, fresh())
  app.money.isCovered = true
  expect({ status, error: call.error.code }).toEqual({ status: 402, error: null })
})

it('refuses what is wrong with a call, and names it', async () => {
  const { by } = fresh()
  const agent = await app.send('post', '/v1/agents', {
    by,
    body: { ...newAgent, variables: [{ name: 'company', required: true }] },
  })
  const create = async (body: object) => {
    const sent = { agent_id: agent.body.id, type: 'web', ...body }
    const answer = await app.send('post', '/calls/create', { by, body: sent })
    return [answer.status, answer.body.error.code]
  }
  expect(await create({})).toEqual([400, 'INVALID_BODY'])
  expect(await create({ variables: { company: 'x', other: 'y' } })).toEqual([400, 'INVALID_BODY'])
  expect(await create({ type: 'fax' })).toEqual([400, 'INVALID_BODY'])
  expect(await create({ agent_id: 'agent_1' })).toEqual([404, 'RESOURCE_NOT_FOUND'])
  expect(await create({ agent_version: 7, variables: { company: 'x' } })).toEqual([404, 'RESOURCE_NOT_FOUND'])
  await app.send('patch', `/v1/agents/${agent.body.id}`, { by, body: { name: 'b', publish: false } })
  const pinned = { agent_version: 2, variables: { company: 'x' } }
  const answer = await app.send('post', '/calls/create', {
    by,
    body: { agent_id: agent.body.id, type: 'web', ...pinned },
  })
  expect([answer.status, answer.body.agent_version]).toEqual([201, 2])
})

it('answers a repeated Idempotency-Key with the same call, and holds once', async () => {
  const { by } = fresh()
  const agent = await app.send('post', '/v1/agents', { body: newAgent, by })
  const body = { agent_id: agent.body.id, type: 'web' }
  const sent = { by, body, headers: { 'idempotency-key': 'k1' } }
  const [first, second] = [await app.send('post', '/calls/create', sent), await app.send('post', '/calls/create', sent)]
  expect(second.body).toEqual(first.body)
  expect(second.headers['idempotent-replay']).toBe('true')
  const held = app.money.moves.filter(({ callId }) => callId === uuidOfCall(first.body.id))
  expect(held).toHaveLength(1)
})

it('lets five calls of a workspace wait, and gives back what the sixth held', async () => {
  const { by } = fresh()
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await createTestCall(app, { by })).status))
  expect(statuses.toSorted()).toEqual([201, 201, 201, 201, 201, 409, 409, 409])
  expect(app.money.moves.filter(({ kind }) => kind === 'released')).toHaveLength(3)
})

it('needs a worker with room', async () => {
  const work = createPgCallWork(app.pool)
  await work.publish({ id: 'w1', calls: 5, maxCalls: 5 })
  expect((await createTestCall(app, fresh())).status).toBe(503)
  await work.publish({ id: 'w1', calls: 4, maxCalls: 5 })
  await app.operator.query(`UPDATE voice_worker SET seen_at = now() - interval '11 seconds'`)
  expect((await createTestCall(app, fresh())).status).toBe(503)
  await work.publish({ id: 'w1', calls: 0, maxCalls: 5 })
})

it('shows and changes no call of another workspace: the same 404 as for none', async () => {
  const { call } = await createTestCall(app, fresh())
  const other = randomUUID()
  const absent = `call_${randomUUID().replaceAll('-', '')}`
  const requests = [
    ['get', '', undefined],
    ['post', '/stop', undefined],
    ['post', '/say', { text: 'Hello.' }],
    ['delete', '', undefined],
  ] as const
  for (const [method, suffix, body] of requests) {
    const send = (id: string) => app.send(method, `/v1/calls/${id}${suffix}`, { by: other, body })
    const [foreign, none] = [await send(call.id), await send(absent)]
    expect([foreign.status, foreign.body]).toEqual([none.status, none.body])
    expect(foreign.body.error.code).toBe('RESOURCE_NOT_FOUND')
  }
  expect((await app.send('get', '/v1/calls', { by: other })).body.total).toBe(0)
})

it('shows a key from before workspaces the calls of its user only', async () => {
  const { by } = fresh()
  const { call } = await createTestCall(app, { by })
  const voice = { env: 'test', scope: 'user' } as const
  const userId = randomUUID()
  const { body: agent } = await app.send('post', '/v1/agents', { by, userId, voice, body: newAgent })
  expect((await app.send('get', `/v1/calls/${call.id}`, { by, userId, voice })).status).toBe(404)
  expect((await app.send('get', '/v1/calls', { by, userId, voice })).body.total).toBe(0)
  const body = { agent_id: agent.id, type: 'web' }
  const own = await app.send('post', '/calls/create', { by, userId, voice, body })
  expect(own.body.env).toBe('test')
  expect((await app.send('get', '/v1/calls', { by, userId, voice })).body.data[0].id).toBe(own.body.id)
  expect((await app.send('get', '/v1/calls', { by })).body.total).toBe(2)
  expect((await app.send('get', '/v1/calls?env=test', { by })).body.total).toBe(1)
})

it('stops a call that waits, and says so when it is stopped again', async () => {
  const { by } = fresh()
  const { call } = await createTestCall(app, { by })
  const stop = () => app.send('post', `/v1/calls/${call.id}/stop`, { by })
  expect((await stop()).body).toMatchObject({ status: 'canceled', ended_reason: 'canceled', ended_by: 'api' })
  const again = await stop()
  expect([again.status, again.body.status]).toEqual([200, 'canceled'])
  const moves = app.money.moves.filter(({ callId }) => callId === uuidOfCall(call.id)).map(({ kind }) => kind)
  expect(moves).toEqual(['held', 'released'])
  const said = await app.send('post', `/v1/calls/${call.id}/say`, { by, body: { text: 'Hello.' } })
  expect(said.status).toBe(409)
})

it('deletes no agent whose calls wait, and creates no call of one that is deleted', async () => {
  const { by } = fresh()
  const { call, agent } = await createTestCall(app, { by })
  const remove = () => app.send('delete', `/v1/agents/${agent.id}`, { by })
  expect((await remove()).status).toBe(409)
  await app.send('post', `/v1/calls/${call.id}/stop`, { by })
  const body = { agent_id: agent.id, type: 'web' }
  const [deleted, created] = await Promise.all([remove(), app.send('post', '/calls/create', { by, body })])
  expect([`${deleted.status} ${created.status}`]).toEqual([expect.stringMatching(/^(200 404|409 201)$/)])
  const { body: kept } = await app.send('get', `/v1/calls/${call.id}`, { by })
  expect(kept.agent_id).toBe(agent.id)
})

it('ends a call whose caller does not connect, and gives its money back', async () => {
  const { by } = fresh()
  const { call } = await createTestCall(app, { by })
  await app.operator.query(`UPDATE call SET token_expires_at = now() - interval '3 seconds' WHERE id = $1`, [
    uuidOfCall(call.id),
  ])
  const upkeep = createCallUpkeep({
    upkeep: createPgCallUpkeep(app.pool),
    money: app.money.money,
    paidCallOf: async ({ workspaceId, id: callId, agentId }) => {
      const priced = { voice: 'sim/readable', recognizer: 'sim', model: 'm' }
      return { workspaceId, callId, agentId, env: 'live', telephony: null, ...priced }
    },
    nowMs: () => 0,
  })
  await upkeep()
  const { body } = await app.send('get', `/v1/calls/${call.id}`, { by })
  expect(body).toMatchObject({ status: 'no_answer', ended_reason: 'no_answer', duration_seconds: null, transcript: [] })
  expect(app.money.moves).toContainEqual({ kind: 'released', callId: uuidOfCall(call.id) })
})

it('erases what was said, also when its time is over, and keeps the call', async () => {
  const { by } = fresh()
  const { call } = await createTestCall(app, { by, call: { metadata: { name: 'Ann' } } })
  const erase = () => app.send('delete', `/v1/calls/${call.id}`, { by })
  expect((await erase()).status).toBe(409)
  await app.send('post', `/v1/calls/${call.id}/stop`, { by })
  expect((await erase()).body).toEqual({ object: 'call', id: call.id, deleted: true })
  const { body } = await app.send('get', `/v1/calls/${call.id}`, { by })
  expect(body).toMatchObject({ status: 'canceled', metadata: {}, transcript: null })

  const { call: old } = await createTestCall(app, { by, call: { metadata: { name: 'Ann' } } })
  await app.send('post', `/v1/calls/${old.id}/stop`, { by })
  await app.operator.query(`UPDATE call SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    uuidOfCall(old.id),
  ])
  expect(await createPgCallUpkeep(app.pool).sweep(10)).toBe(1)
  expect((await app.send('get', `/v1/calls/${old.id}`, { by })).body).toMatchObject({ metadata: {}, transcript: null })
})

it('stores no secret variable in the open, and none after the end', async () => {
  const { by } = fresh()
  const agent = {
    system_prompt: 'The code is {{code}}.',
    variables: [
      { name: 'code', secret: true },
      { name: 'company', default: 'x' },
    ],
  }
  const { call } = await createTestCall(app, { by, agent, call: { variables: { code: 'tango-4711' } } })
  expect(call.variables).toEqual({ company: 'x' })
  const row = async () => {
    const { rows } = await app.operator.query('SELECT * FROM call WHERE id = $1', [uuidOfCall(call.id)])
    return rows[0]
  }
  expect(JSON.stringify(await row())).not.toContain('tango')
  expect((await row()).secret_ciphertext).not.toBeNull()
  await app.send('post', `/v1/calls/${call.id}/stop`, { by })
  expect((await row()).secret_ciphertext).toBeNull()
})

import { eventually } from '@ratchet/testing/eventually'
import { type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { createTestCall, joinCall, startTestWorker, type TestWorker, uuidOfCall } from './call-system.fixture.ts'
import { type TestWriters, testWriters } from './test-writers.fixture.ts'

let app: TestVoiceApp
let worker: TestWorker
let writers: TestWriters
beforeAll(async () => {
  app = await voiceApp()
  writers = testWriters((turns) =>
    turns.at(-1)?.text.includes('bye') === true
      ? 'Goodbye then.'
      : 'Your parcel arrives tomorrow between nine and ten. Is there anything else?',
  )
  worker = await startTestWorker({ databaseUrl: app.databaseUrl, money: app.money.money, writers })
})
afterAll(async () => {
  await worker.stop()
  await app.drop()
})

const get = async (id: string) => (await app.send('get', `/v1/calls/${id}`)).body
const until = (check: () => boolean | Promise<boolean>) =>
  eventually(async () => {
    if (!(await check())) throw new Error('not yet')
  })

it('holds a call: each side hears the other, and the transcript has what was heard', async () => {
  const agent = { first_message: 'Hello, this is {{company}}.', variables: [{ name: 'company', default: 'Example' }] }
  const { status, call } = await createTestCall(app, { agent, call: { metadata: { ticket: 7 } } })
  expect(status).toBe(201)
  expect(call).toMatchObject({ object: 'call', status: 'queued', env: 'live', trace_id: call.id, ended_at: null })
  const caller = joinCall(call, worker)
  await until(() => caller.ear.join(' ') === 'Hello, this is Example.')
  caller.speak('When does my parcel arrive?')
  await until(() => caller.ear.join(' ').endsWith('Is there anything else?'))
  await until(() => caller.messages.some((each) => each.type === 'state' && each.state === 'listening'))
  expect(await get(call.id)).toMatchObject({ status: 'in_progress', worker_generations: 1 })
  caller.hangUp()
  expect((await caller.closed).code).toBe(1_000)
  await until(async () => (await get(call.id)).status === 'completed')
  const ended = await get(call.id)
  expect(ended).toMatchObject({ ended_reason: 'caller_hangup', ended_by: 'caller', metadata: { ticket: 7 } })
  expect(ended.transcript.map((turn: { role: string; text: string }) => [turn.role, turn.text])).toEqual([
    ['agent', 'Hello, this is Example.'],
    ['caller', 'When does my parcel arrive?'],
    ['agent', 'Your parcel arrives tomorrow between nine and ten. Is there anything else?'],
  ])
  expect(ended.latency.turns).toHaveLength(1)
  expect(ended.latency.p50_ms).toBeGreaterThan(200)
  expect(ended.cost_usd).toBe(0.0015)
  expect(writers.orders.at(-1)).toMatchObject({ callId: uuidOfCall(call.id), settings: { model: 'sim/assistant' } })
  const moves = app.money.moves.filter(({ callId }) => callId === uuidOfCall(call.id)).map(({ kind }) => kind)
  expect(moves).toEqual(['held', 'begun', 'settled'])
  expect(caller.messages.filter(({ type }) => type === 'end')).toEqual([
    { type: 'end', status: 'completed', reason: 'caller_hangup' },
  ])
}, 60_000)

it('tells what happens in events, in order, which can be read again from any place', async () => {
  const { call } = await createTestCall(app, { agent: { first_message: 'Hello.' } })
  const caller = joinCall(call, worker)
  await until(() => caller.ear.join(' ') === 'Hello.')
  const stream = app.send('get', `/v1/calls/${call.id}/events`, { headers: { accept: 'text/event-stream' } })
  caller.speak('Say bye to me.')
  await until(() => caller.ear.join(' ') === 'Hello. Goodbye then.')
  caller.hangUp()
  await caller.closed
  const { text } = (await stream) as unknown as { text: string }
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('id:'))
  const events = frames.map((frame) => JSON.parse(frame.split('\n')[2]!.slice('data: '.length)))
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1))
  expect(events.filter(({ kind }) => kind !== 'partial').map(({ kind }) => kind)).toEqual([
    ...['status', 'status', 'turn', 'turn', 'turn', 'latency', 'end'],
  ])
  expect(events.at(-1).data).toEqual({ status: 'completed', reason: 'caller_hangup', by: 'caller' })
  const list = (await app.send('get', `/v1/calls/${call.id}/events?after=2&limit=3`)).body
  expect(list).toEqual({ object: 'list', data: events.slice(2, 5), has_more: true })
  const headers = { accept: 'text/event-stream', 'last-event-id': String(events.length - 1) }
  const rest = (await app.send('get', `/v1/calls/${call.id}/events`, { headers })) as unknown as { text: string }
  expect(rest.text.split('\n\n').filter((frame) => frame.startsWith('id:'))).toEqual(frames.slice(-1))
}, 60_000)

it('says what the API asks for, and ends when it asks', async () => {
  const { call } = await createTestCall(app, {
    agent: { first_message: 'one two three four five six seven eight nine.' },
  })
  const caller = joinCall(call, worker)
  await until(() => caller.ear.length > 2)
  const said = await app.send('post', `/v1/calls/${call.id}/say`, { body: { text: 'Please hold.', interrupt: true } })
  expect(said.status).toBe(202)
  await until(() => caller.ear.join(' ').endsWith('Please hold.'))
  expect(caller.ear).not.toContain('nine.')
  expect((await app.send('post', `/v1/calls/${call.id}/stop`)).status).toBe(200)
  await caller.closed
  expect(await get(call.id)).toMatchObject({ status: 'completed', ended_reason: 'api_stop', ended_by: 'api' })
}, 60_000)

it('takes what the caller writes and keys in as turns, and stores no secret keys', async () => {
  const { call } = await createTestCall(app, { agent: { dtmf: { enabled: true, secret: true } } })
  const caller = joinCall(call, worker)
  await until(() => caller.resumeToken !== null)
  caller.send({ type: 'text', text: 'Please say bye.' })
  await until(() => caller.ear.join(' ') === 'Goodbye then.')
  for (const key of '4711#') caller.send({ type: 'dtmf', key })
  await until(() => caller.ear.join(' ').endsWith('anything else?'))
  caller.hangUp()
  await caller.closed
  const { transcript } = await get(call.id)
  expect(transcript.map(({ text }: { text: string }) => text).slice(0, 3)).toEqual([
    ...['Please say bye.', 'Goodbye then.', '[keypad]'],
  ])
  expect(writers.requests.at(-1)?.at(-1)?.text).toBe('[keypad] 4711#')
  const { rows } = await app.operator.query('SELECT body FROM call_event WHERE call_id = $1', [uuidOfCall(call.id)])
  expect(JSON.stringify(rows)).not.toContain('4711')
}, 60_000)

it('warns when credits run out, and ends when they have', async () => {
  const { call } = await createTestCall(app, {})
  const caller = joinCall(call, worker)
  await until(() => app.money.meters.has(uuidOfCall(call.id)) && caller.resumeToken !== null)
  app.money.meters.get(uuidOfCall(call.id))?.onLow(15_000)
  await until(() => caller.ear.join(' ').endsWith('in a few seconds.'))
  app.money.meters.get(uuidOfCall(call.id))?.onEmpty('insufficient_credits')
  await caller.closed
  expect(await get(call.id)).toMatchObject({ status: 'completed', ended_reason: 'insufficient_credits' })
  expect(app.money.checkpoints.get(uuidOfCall(call.id))?.answeredMs).toBeGreaterThan(1_000)
  app.money.isCovered = true
}, 60_000)

it('stores no secret value while the agent says it', async () => {
  const agent = { system_prompt: 'You say codes.', variables: [{ name: 'code', secret: true }] }
  const first_message = `Your code is {{code}}${' of course'.repeat(30)}.`
  const { call } = await createTestCall(app, { agent, call: { first_message, variables: { code: 'marmalade' } } })
  const caller = joinCall(call, worker)
  const rowOf = async () => {
    const { rows } = await app.operator.query('SELECT call.*, spoken_now::text AS said FROM call WHERE id = $1', [
      uuidOfCall(call.id),
    ])
    return rows[0]
  }
  await until(async () => (await rowOf()).said !== null && caller.ear.includes('marmalade'))
  const row = await rowOf()
  expect(row.status).toBe('in_progress')
  expect(row.said).not.toBeNull()
  expect(JSON.stringify(row)).not.toContain('marmalade')
  caller.hangUp()
  await caller.closed
}, 60_000)

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

import { randomUUID } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
import { connectWebCaller } from '@ratchet/testing/web-caller'
import { WebSocket } from 'ws'
import { type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import {
  createTestCall,
  joinCall,
  mediaUrl,
  startTestWorker,
  type TestWorker,
  uuidOfCall,
} from './call-system.fixture.ts'
import { testWriters } from './test-writers.fixture.ts'

let app: TestVoiceApp
let worker: TestWorker
beforeAll(async () => {
  app = await voiceApp()
  const writers = testWriters(() => 'All right.')
  worker = await startTestWorker({ databaseUrl: app.databaseUrl, money: app.money.money, writers, maxCalls: 12 })
})
afterAll(async () => {
  await worker.stop()
  await app.drop()
})

const create = async (agent: object = {}) => createTestCall(app, { agent, by: randomUUID() })
const closeOf = async (url: string, token: string | null) => (await connectWebCaller(url, token).closed).code

it('accepts a token once, for its call only, and only in time', async () => {
  const [{ call }, { call: other }] = [await create(), await create()]
  expect(await closeOf(mediaUrl(other.id, worker.port), call.client_token)).toBe(4_401)
  expect(await closeOf(mediaUrl(call.id, worker.port), `${call.client_token.slice(0, -1)}_`)).toBe(4_401)
  expect(await closeOf(mediaUrl(`call_${'0'.repeat(32)}`, worker.port), call.client_token)).toBe(4_401)
  const caller = joinCall(call, worker)
  await eventually(async () => expect(caller.resumeToken).not.toBeNull())
  expect(await closeOf(mediaUrl(call.id, worker.port), call.client_token)).toBe(4_401)
  caller.hangUp()
  await caller.closed
  expect(await closeOf(mediaUrl(call.id, worker.port), caller.resumeToken)).toBe(4_401)
  await app.operator.query('UPDATE call SET token_expires_at = now() WHERE id = $1', [uuidOfCall(other.id)])
  expect(await closeOf(mediaUrl(other.id, worker.port), other.client_token)).toBe(4_401)
})

it('closes who does not begin, who sends what is not of the protocol, and who sends too much', async () => {
  expect(await closeOf(mediaUrl((await create()).call.id, worker.port), null)).toBe(4_408)
  const send = async (data: string | Buffer, times = 1) => {
    const caller = joinCall((await create()).call, worker)
    await eventually(async () => expect(caller.resumeToken).not.toBeNull())
    for (let i = 0; i < times; i++) caller.sendRaw(data)
    return (await caller.closed).code
  }
  expect(await send('hello')).toBe(1_008)
  expect(await send('{"type":"start","token":"x"}')).toBe(1_008)
  expect(await send('{"type":"played","id":1,"ms":-1}')).toBe(1_008)
  expect(await send(Buffer.alloc(3))).toBe(1_008)
  expect(await send(Buffer.alloc(20_000))).toBe(1_009)
  expect(await send(Buffer.alloc(640), 400)).toBe(1_008)
  expect(await send('{"type":"played","id":1,"ms":20}', 400)).toBe(1_008)
}, 60_000)

it('refuses other paths, and connections beyond its room', async () => {
  const failure = (url: string) =>
    new Promise<string>((resolve) => new WebSocket(url).on('error', (error) => resolve(error.message)))
  const origin = `ws://127.0.0.1:${worker.port}`
  expect(await failure(`${origin}/media/call_1`)).toContain('404')
  expect(await failure(`${origin}/other`)).toContain('404')
  const calls = await Promise.all(Array.from({ length: 12 }, () => create()))
  const callers = calls.map(({ call }) => joinCall(call, worker))
  await eventually(async () => expect(callers.every(({ resumeToken }) => resumeToken !== null)).toBe(true))
  expect(await failure(mediaUrl(calls[0]?.call.id, worker.port))).toContain('503')
  for (const caller of callers) caller.hangUp()
  await Promise.all(callers.map(({ closed }) => closed))
}, 30_000)

it('disconnects a caller who does not read, and holds the call for those who come back', async () => {
  const { call } = await create({ first_message: 'word '.repeat(300).trim() })
  const caller = joinCall(call, worker)
  await eventually(async () => expect(caller.ear.length).toBeGreaterThan(2))
  caller.stopReading()
  await eventually(
    async () => {
      const { rows } = await app.operator.query('SELECT detached_at FROM call WHERE id = $1', [uuidOfCall(call.id)])
      expect(rows[0].detached_at).not.toBeNull()
    },
    { withinMs: 20_000 },
  )
}, 40_000)

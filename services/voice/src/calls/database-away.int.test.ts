import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { createTestCall, joinCall, startTestWorker, type TestWorker } from './call-system.fixture.ts'
import { testWriters } from './test-writers.fixture.ts'

let app: TestVoiceApp
let worker: TestWorker
let proxy: ChaosProxy
beforeAll(async () => {
  app = await voiceApp()
  const url = new URL(app.databaseUrl)
  proxy = await startChaosProxy({ targetHost: url.hostname, targetPort: Number(url.port) })
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  const writers = testWriters((turns) => `This is answer ${turns.length}.`)
  worker = await startTestWorker({ databaseUrl: url.href, money: app.money.money, writers })
})
afterAll(async () => {
  await worker.stop()
  await proxy.stop()
  await app.drop()
})

it('talks on while the database is away, and writes everything in order afterwards', async () => {
  const { call } = await createTestCall(app, { agent: { first_message: 'Hello.' } })
  const caller = joinCall(call, worker)
  await eventually(() => caller.ear.includes('Hello.'))
  await proxy.refuse()
  const isAway = () => worker.errors.length > 0
  for (let turn = 0; turn < 3; turn++) {
    const heard = caller.ear.length
    caller.speak('Go on please.')
    await eventually(() => caller.ear.length === heard + 4)
  }
  await eventually(isAway)
  await proxy.restore()
  caller.hangUp()
  await caller.closed
  const end = async () => (await app.send('get', `/v1/calls/${call.id}`)).body
  await eventually(async () => (await end()).status === 'completed')
  const { transcript } = await end()
  const texts = transcript.map(({ text }: { text: string }) => text)
  expect(texts).toEqual(['Hello.', ...[2, 4, 6].flatMap((turns) => ['Go on please.', `This is answer ${turns}.`])])
  const events = (await app.send('get', `/v1/calls/${call.id}/events?limit=200`)).body.data
  expect(events.map(({ seq }: { seq: number }) => seq)).toEqual(events.map((_: unknown, i: number) => i + 1))
  expect(events.at(-1).kind).toBe('end')
}, 90_000)

import { once } from 'node:events'
import { eventually } from '@ratchet/testing/eventually'
import { startUpkeep } from '../start-calls.ts'
import { type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { createTestCall, joinCall, uuidOfCall } from './call-system.fixture.ts'
import { spokenLines } from './spoken-lines.ts'
import { rejoin, workerProcesses } from './worker-processes.fixture.ts'

let app: TestVoiceApp
const workers = workerProcesses(() => app.databaseUrl)
beforeAll(async () => {
  app = await voiceApp()
})
afterAll(async () => {
  workers.killAll()
  await app.drop()
})

const get = async (id: string, by: string) => (await app.send('get', `/v1/calls/${id}`, { by })).body
const { resumed } = spokenLines('en')
const agent = { first_message: Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ') }

it('goes on with another worker when the first is killed in the middle of a sentence', async () => {
  const by = crypto.randomUUID()
  const [first, second] = [await workers.start(), await workers.start()]
  const { call } = await createTestCall(app, { by, agent })
  const caller = joinCall(call, first)
  await eventually(() => caller.ear.length > 5)
  first.process.kill('SIGKILL')
  const { atMs: lostMs } = await caller.closed
  const again = await rejoin(caller, call.id, [first, second])
  await eventually(() => again.ear.join(' ').endsWith(resumed))
  expect(again.messages[0]).toMatchObject({ type: 'ready', resumed: true, call_id: call.id })
  expect(again.heardAtMs - lostMs).toBeLessThan(3_000 + 2_500)
  again.speak('Where were we?')
  await eventually(() => again.ear.includes('answer'))
  again.hangUp()
  await again.closed
  const ended = await get(call.id, by)
  expect(ended).toMatchObject({ status: 'completed', ended_reason: 'caller_hangup', worker_generations: 2 })
  expect(ended.trace_id).toBe(call.id)
  const said = ended.transcript
    .filter(({ role }: { role: string }) => role === 'agent')
    .map(({ text }: { text: string }) => text)
  expect(said.join(' ').split(' ')).toEqual(again.ear)
}, 60_000)

it('ends a call that no other worker takes over, within 25 seconds', async () => {
  const by = crypto.randomUUID()
  const worker = await workers.start()
  const { call } = await createTestCall(app, { by, agent })
  const caller = joinCall(call, worker)
  await eventually(() => caller.ear.length > 5)
  const killedMs = performance.now()
  worker.process.kill('SIGKILL')
  await caller.closed
  const errors: unknown[] = []
  const stop = startUpkeep({ pool: app.pool, money: app.money.money, onError: (error) => void errors.push(error) })
  await eventually(async () => (await get(call.id, by)).status === 'completed')
  await stop()
  expect(performance.now() - killedMs).toBeLessThan(25_000)
  expect(performance.now() - killedMs).toBeGreaterThan(16_000)
  expect(await get(call.id, by)).toMatchObject({ ended_reason: 'worker_lost', ended_by: 'system' })
  expect(errors).toEqual([])
}, 60_000)

it('hands calls over when a worker stops, and one that nobody takes is lost', async () => {
  const by = crypto.randomUUID()
  const [first, second] = [await workers.start(), await workers.start()]
  const { call } = await createTestCall(app, { by, agent })
  const caller = joinCall(call, first)
  await eventually(() => caller.ear.length > 5)
  const exited = once(first.process, 'exit')
  first.process.kill('SIGTERM')
  expect((await caller.closed).code).toBe(1_012)
  const again = await rejoin(caller, call.id, [second])
  await eventually(() => again.ear.join(' ').endsWith(resumed))
  await exited
  const { rows } = await app.operator.query('SELECT generation, detached_at FROM call WHERE id = $1', [
    uuidOfCall(call.id),
  ])
  expect(rows).toEqual([{ generation: 2, detached_at: null }])
  again.terminate()
  await eventually(async () => {
    const { rows: lost } = await app.operator.query('SELECT detached_at FROM call WHERE id = $1', [uuidOfCall(call.id)])
    return lost[0].detached_at !== null
  })
  const third = await rejoin(again, call.id, [second])
  expect(third.messages[0]).toMatchObject({ type: 'ready', resumed: true })
  await app.send('post', `/v1/calls/${call.id}/stop`, { by })
  await third.closed
  const ended = await get(call.id, by)
  expect(ended).toMatchObject({ ended_reason: 'api_stop', ended_by: 'api', worker_generations: 3 })
}, 60_000)

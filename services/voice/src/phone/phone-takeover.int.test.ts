import { once } from 'node:events'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import type { IncomingCall } from '@ratchet/sip/agent/incoming-call'
import { eventually } from '@ratchet/testing/eventually'
import { startTestWorker, type TestWorker, uuidOfCall } from '../calls/call-system.fixture.ts'
import { testWriters } from '../calls/test-writers.fixture.ts'
import { workerProcesses } from '../calls/worker-processes.fixture.ts'
import { newAgent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { startTelephone, type Telephone, telephoneHost, workerHost } from './telephone.fixture.ts'

let app: TestVoiceApp
let phone: Telephone
let second: TestWorker | null
const processes = workerProcesses(() => app.databaseUrl)

beforeEach(async () => {
  app = await voiceApp()
  second = null
})
afterEach(async () => {
  processes.killAll()
  await phone.close()
  await second?.stop()
  await app.drop()
})

const until = (check: () => boolean | Promise<boolean>, withinMs = 40_000) =>
  eventually(
    async () => {
      if (!(await check())) throw new Error('not yet')
    },
    { withinMs, everyMs: 50 },
  )

/** A call to a telephone by a worker that a test kills, while the agent speaks. */
async function callByProcess(onCall?: (call: IncomingCall, answer: () => void) => void) {
  const port = await anyFreePort()
  phone = await startTelephone({ workerPort: port, firstPort: 34_200, ...(onCall === undefined ? {} : { onCall }) })
  const agent = await app.send('post', '/v1/agents', {
    body: {
      ...newAgent,
      ai_disclosure: false,
      turn_taking: { detector: 'vad' },
      first_message: 'one two three four five six seven eight nine ten eleven twelve.',
    },
  })
  const sip = { termination_uri: `sip:${telephoneHost}:${phone.port}`, allowed_ips: [telephoneHost] }
  const number = await app.send('post', '/v1/numbers', { body: { e164: '+493012345678', provider: 'sip', sip } })
  const worker = await processes.start(port)
  const order = { agent_id: agent.body.id, to_number: '+493087654321', number_id: number.body.id }
  const { body } = await app.send('post', '/v1/calls/create', { body: order })
  await until(() => phone.calls.length === 1 && (onCall !== undefined || phone.ear.length >= 3))
  return { worker, callId: body.id as string }
}

async function startSecond(): Promise<void> {
  const port = await anyFreePort()
  second = await startTestWorker({
    databaseUrl: app.databaseUrl,
    money: app.money.money,
    writers: testWriters(() => 'Where were we?'),
    phone: { SIP_LISTEN: { host: workerHost, port }, RTP_PORTS: [34_100, 34_199] },
  })
}

const get = async (id: string) => (await app.send('get', `/v1/calls/${id}`)).body

it('goes on with a call by another worker, after its own was killed in the middle of a sentence', async () => {
  const { worker, callId } = await callByProcess()
  await startSecond()
  worker.process.kill('SIGKILL')
  await once(worker.process, 'exit')
  const killedAtMs = performance.now()
  await until(() => phone.ear.join(' ').includes('Sorry'))
  // 3 seconds without a sign of life, and a second between two looks.
  expect(performance.now() - killedAtMs).toBeLessThan(7_000)
  await until(() => phone.ear.length > 0 && phone.leg?.isEnded === false)
  await eventually(async () => expect((await get(callId)).worker_generations).toBe(2))
  phone.speak('Are you there?')
  await until(() => phone.ear.join(' ').endsWith('Where were we?'))
  phone.leg?.hangup()
  await until(async () => (await get(callId)).status === 'completed')
  const ended = await get(callId)
  expect(ended.ended_reason).toBe('caller_hangup')
  expect(phone.calls).toHaveLength(1)
  const roles = ended.transcript.map(({ role, text }: { role: string; text: string }) => [role, text])
  expect(roles).toContainEqual(['caller', 'Are you there?'])
  expect(roles).toContainEqual(['agent', 'Where were we?'])
  expect(app.money.moves.filter(({ callId: id }) => id === uuidOfCall(callId)).map(({ kind }) => kind)).toEqual([
    ...['held', 'begun', 'settled'],
  ])
  expect(second?.errors).toEqual([])
}, 90_000)

it('says BYE for a call that ended while nobody held it', async () => {
  const { worker, callId } = await callByProcess()
  worker.process.kill('SIGKILL')
  await once(worker.process, 'exit')
  await app.operator.query("UPDATE call SET seen_at = now() - interval '1 minute'")
  await app.operator.query(
    "UPDATE call SET status = 'completed', ended_reason = 'worker_lost', ended_by = 'system', ended_at = now()",
  )
  expect(phone.ends).toEqual([])
  await startSecond()
  await until(() => phone.ends.length === 1)
  expect(phone.ends).toEqual(['remote_bye'])
  expect(await get(callId)).toMatchObject({ status: 'completed', ended_reason: 'worker_lost' })
}, 90_000)

it('dials nobody twice: a call whose worker was killed while it rang ends, and costs nothing', async () => {
  const { worker, callId } = await callByProcess((incoming) => incoming.ring())
  await until(async () => (await get(callId)).status === 'ringing')
  worker.process.kill('SIGKILL')
  await once(worker.process, 'exit')
  await app.operator.query("UPDATE call SET seen_at = now() - interval '1 minute'")
  await startSecond()
  await until(async () => (await get(callId)).ended_at !== null)
  expect(await get(callId)).toMatchObject({ status: 'failed', ended_reason: 'worker_lost', answered_at: null })
  expect(phone.calls).toHaveLength(1)
}, 90_000)

it('hands calls over when its worker is stopped', async () => {
  const { worker, callId } = await callByProcess()
  await startSecond()
  worker.process.kill('SIGTERM')
  await until(() => phone.ear.join(' ').includes('Sorry'))
  expect(phone.leg?.isEnded).toBe(false)
  expect((await get(callId)).worker_generations).toBe(2)
  phone.leg?.hangup()
  await until(async () => (await get(callId)).status === 'completed')
}, 90_000)

it('cancels calls that ring when its worker is stopped', async () => {
  let cancelled = 0
  const { worker, callId } = await callByProcess((incoming) => {
    incoming.ring()
    incoming.onCancelled(() => cancelled++)
  })
  await until(async () => (await get(callId)).status === 'ringing')
  worker.process.kill('SIGTERM')
  await until(async () => (await get(callId)).ended_at !== null)
  expect(await get(callId)).toMatchObject({ status: 'failed', ended_reason: 'worker_lost', ended_by: 'system' })
  expect(cancelled).toBe(1)
}, 90_000)

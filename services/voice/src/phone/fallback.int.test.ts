import { uuidOf } from '@ratchet/contracts/public-id'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import type { LegError } from '@ratchet/sip/agent/sip-leg'
import { eventually } from '@ratchet/testing/eventually'
import { startTestWorker, type TestWorker } from '../calls/call-system.fixture.ts'
import { testWriters } from '../calls/test-writers.fixture.ts'
import { newAgent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { startTelephone, type Telephone, telephoneHost, workerHost } from './telephone.fixture.ts'

let app: TestVoiceApp
let worker: TestWorker
let phone: Telephone
let workerPort: number
beforeAll(async () => {
  app = await voiceApp()
  workerPort = await anyFreePort()
  worker = await startTestWorker({
    databaseUrl: app.databaseUrl,
    money: app.money.money,
    writers: testWriters(() => 'All right.'),
    maxCalls: 1,
    phone: { SIP_LISTEN: { host: workerHost, port: workerPort }, RTP_PORTS: [33_700, 33_749] },
  })
  phone = await startTelephone({ workerPort, firstPort: 33_750 })
})
afterAll(async () => {
  await phone.close()
  await worker.stop()
  await app.drop()
})

let digits = 20_000_000
async function newNumber(settings: object): Promise<string> {
  const agent = { ...newAgent, ai_disclosure: false, first_message: 'Good morning.' }
  const { body } = await app.send('post', '/v1/agents', { body: agent })
  const created = await app.send('post', '/v1/numbers', {
    body: {
      e164: `+4930${digits++}`,
      provider: 'sip',
      agent_id: body.id,
      sip: { termination_uri: `sip:${telephoneHost}:${phone.port}`, allowed_ips: [telephoneHost] },
      ...settings,
    },
  })
  return created.body.id
}

const silent = { onAudio: () => undefined, onDtmf: () => undefined, onEnded: () => undefined }
const dial = (numberId: string) =>
  phone.agent
    .dial({ trunkId: 'worker', to: `sip:${numberId}@${workerHost}:${workerPort}`, from: '1', events: silent })
    .answered.then(
      (leg) => leg,
      ({ status }: LegError) => status,
    )

/** The worker reads new numbers every second. */
async function untilKnown(numberId: string): Promise<void> {
  await eventually(async () => expect(await dial(numberId)).not.toBe(404), { withinMs: 10_000, everyMs: 300 })
}

it('sends callers to the fallback of a number while all places are taken, and to nobody without one', async () => {
  const answering = await newNumber({})
  const leg = await eventually(async () => {
    const dialed = await dial(answering)
    return typeof dialed === 'number' ? null : dialed
  })
  const [plain, guarded] = [await newNumber({}), await newNumber({ fallback_number: '+493055555555' })]
  await untilKnown(guarded)
  expect([await dial(plain), await dial(guarded)]).toEqual([503, 302])
  leg.hangup()
  const calls = async () => (await app.send('get', '/v1/calls')).body.data
  await eventually(async () => expect((await calls())[0].status).toBe('completed'))
  expect(await calls()).toHaveLength(1)
}, 60_000)

it('sends a caller there who was not answered in three seconds, and does not answer afterwards', async () => {
  const guarded = await newNumber({ fallback_number: '+493055555555', direction: 'inbound' })
  const client = await app.operator.connect()
  try {
    // The database does not answer for this number.
    await client.query('BEGIN')
    await client.query('SELECT FROM voice_number WHERE id = $1 FOR UPDATE', [uuidOf('voiceNumber', guarded)])
    const [status, waitedMs] = await eventually(async () => {
      const startedMs = performance.now()
      const answer = await dial(guarded)
      return answer === 404 ? null : ([answer, performance.now() - startedMs] as const)
    })
    expect(status).toBe(302)
    expect(waitedMs).toBeGreaterThan(2_900)
    expect(waitedMs).toBeLessThan(4_500)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
  const found = async () => (await app.send('get', `/v1/calls?number_id=${guarded}`)).body.data
  await eventually(async () => expect((await found())[0]).toMatchObject({ status: 'no_answer', ended_by: 'system' }))
  expect(await found()).toHaveLength(1)
}, 60_000)

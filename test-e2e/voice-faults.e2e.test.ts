import { eventually } from '@ratchet/testing/eventually'
import { connectWebCaller, type WebCaller } from '@ratchet/testing/web-caller'
import { ledgerAtRest } from './ledger-oracle.ts'
import { startVoiceFleet, type VoiceFleet } from './voice/voice-fleet.ts'

/* Calls while what they need is away: each caller is heard and answered again, and each call is paid right. */

let voice: VoiceFleet
let agentId: string
beforeAll(async () => {
  voice = await startVoiceFleet()
  agentId = await voice.newAgent()
}, 300_000)
afterAll(() => voice?.stop())

interface Talk {
  readonly id: string
  readonly caller: WebCaller
}

async function newTalk(): Promise<Talk> {
  const { status, body } = await voice.ask('POST', '/calls/create', { agent_id: agentId, type: 'web' })
  expect({ status, body }).toMatchObject({ status: 201 })
  const caller = connectWebCaller(body.join_url, body.client_token)
  await eventually(() => caller.ear.join(' ') === 'Hello there.')
  return { id: body.id, caller }
}

/** Says something, and resolves when the agent has said more than the caller had heard. */
async function isAnswered({ caller }: Talk, withinMs = 30_000): Promise<void> {
  const heard = caller.ear.length
  caller.speak('Go on please.')
  await eventually(() => caller.ear.length > heard, { withinMs })
}

/** Hangs up, and compares what the call cost with what the wallet lost. */
async function endsPaid({ id, caller }: Talk, before: bigint): Promise<void> {
  caller.hangUp()
  await caller.closed
  const call = await eventually(
    async () => {
      const { body } = await voice.ask('GET', `/calls/${id}`)
      return body.cost?.settled === true ? body : null
    },
    { withinMs: 400_000, everyMs: 1_000 },
  )
  expect(call).toMatchObject({ status: 'completed', ended_reason: 'caller_hangup' })
  const after = (await ledgerAtRest(voice.fleet, voice.workspace)).balance
  expect(before - after).toBe(BigInt(Math.round(call.cost.total_usd * 1e9)))
}

const balance = async () => (await ledgerAtRest(voice.fleet, voice.workspace)).balance

it('goes on, and begins other calls, while Redis is away', async () => {
  const before = await balance()
  const talk = await newTalk()
  await voice.fleet.redis.refuse()
  await isAnswered(talk)
  const other = await newTalk()
  await isAnswered(other)
  other.caller.hangUp()
  await other.caller.closed
  await voice.fleet.redis.restore()
  await isAnswered(talk)
  await eventually(async () => (await voice.ask('GET', `/calls/${other.id}`)).body.cost?.settled === true)
  const { body } = await voice.ask('GET', `/calls/${other.id}`)
  await endsPaid(talk, before - BigInt(Math.round(body.cost.total_usd * 1e9)))
}, 180_000)

it('talks on while Postgres is away for ten seconds, and refuses new calls as unavailable', async () => {
  const before = await balance()
  const talk = await newTalk()
  await isAnswered(talk)
  await voice.fleet.postgres.refuse()
  const awayUntil = performance.now() + 10_000
  const statuses = new Set<number>()
  while (performance.now() < awayUntil) {
    statuses.add((await voice.ask('POST', '/calls/create', { agent_id: agentId, type: 'web' })).status)
    talk.caller.speak('Are you there?')
    await new Promise((resolve) => setTimeout(resolve, 1_000).unref())
  }
  await voice.fleet.postgres.restore()
  expect(statuses).toEqual(new Set([503]))
  expect(talk.caller.isOpen).toBe(true)
  await isAnswered(talk)
  await endsPaid(talk, before)
}, 600_000)

it('asks the caller to wait while inference is away, and answers when it is back', async () => {
  const before = await balance()
  const talk = await newTalk()
  await isAnswered(talk)
  const { inference } = voice.fleet
  inference.signal('SIGKILL')
  await inference.exited
  talk.caller.speak('What is the time?')
  await eventually(() => talk.caller.ear.join(' ').endsWith('One moment please.'))
  await voice.fleet.restartInference()
  await eventually(() => !talk.caller.ear.join(' ').endsWith('One moment please.'))
  await isAnswered(talk)
  await endsPaid(talk, before)
}, 600_000)

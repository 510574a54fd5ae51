import { randomBytes, randomUUID } from 'node:crypto'
import { keyDisplayLength } from '@ratchet/contracts/api-key'
import { mintVoiceKey } from '@ratchet/contracts/voice/voice-key'
import { connectPrisma } from '@ratchet/db/connect'
import { saveApiKey } from '@ratchet/db/operator'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { connectWebCaller, type WebCaller } from '@ratchet/voice/media/web-caller.fixture'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'
import type { FleetProcess } from './start-process.ts'

let fleet: Fleet
let media: ChaosProxy
let worker: FleetProcess
let origin: string
let key: string

beforeAll(async () => {
  fleet = await startFleet()
  const port = await anyFreePort()
  origin = `http://127.0.0.1:${port}`
  const voice = await fleet.add('voice', { VOICE_ORIGIN: origin })
  worker = await fleet.add('voice-worker')
  media = await startChaosProxy({ targetPort: Number(new URL(worker.url).port) })
  const behind = { VOICE_URL: voice.url, VOICE_MEDIA_URL: `http://127.0.0.1:${media.port}` }
  await fleet.add('edge', { VOICE_PORT: String(port), ...behind })
  key = await createKey()
}, 180_000)
afterAll(async () => {
  await media?.stop()
  await fleet?.stop()
}, 180_000)

async function createKey(): Promise<string> {
  const db = connectPrisma({ databaseUrl: fleet.databaseUrl, max: 1 })
  const minted = mintVoiceKey('live', randomBytes)
  const { workspaceId, userId } = fleet.workspace
  const row = { id: randomUUID(), workspaceId, userId, name: 'voice', at: new Date() }
  const hashed = { hash: hashApiKey(minted), display: minted.slice(0, keyDisplayLength) }
  try {
    await saveApiKey(db, { ...row, ...hashed, surface: 'voice', env: 'live' })
  } finally {
    await db.$disconnect()
  }
  return minted
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads bodies as clients would
type Json = any

async function send(method: string, path: string, body?: object): Promise<{ status: number; body: Json }> {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(answer.headers.get('x-request-id')).not.toBeNull()
  expect(answer.headers.get('x-ratelimit-limit')).toBe('1000')
  return { status: answer.status, body: await answer.json() }
}

async function begin(firstMessage: string): Promise<{ readonly call: Json; readonly caller: WebCaller }> {
  const agent = await send('POST', '/v1/agents', {
    name: 'Reception',
    system_prompt: 'You answer the telephone.',
    language: 'en-US',
    voice: 'sim/readable',
    model: 'sim/small',
    first_message: firstMessage,
    ai_disclosure: false,
  })
  expect(agent.status).toBe(201)
  const { status, body: call } = await send('POST', '/calls/create', { agent_id: agent.body.id, type: 'web' })
  expect({ status, message: call.error?.message }).toEqual({ status: 201, message: undefined })
  expect(call.join_url).toBe(`${origin.replace('http', 'ws')}/media/${call.id}`)
  return { call, caller: connectWebCaller(call.join_url, call.client_token) }
}

/** What the agent said, as it is written, and as it was heard. */
async function transcriptOf(id: string) {
  const { body } = await send('GET', `/v1/calls/${id}`)
  const said = body.transcript.filter(({ role }: Json) => role === 'agent').map(({ text }: Json) => text)
  return { call: body, words: said.join(' ').split(/\s+/) }
}

it('holds a call by the voice interface: heard as written, logged as one trace, and paid', async () => {
  const before = await readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
  const { call, caller } = await begin('Hello, what can I do for you?')
  await eventually(() => caller.ear.join(' ') === 'Hello, what can I do for you?')
  caller.speak('Why is the sky blue?')
  await eventually(() => caller.ear.length > 7 && !caller.isListening && isListening(caller), { withinMs: 60_000 })
  caller.hangUp()
  expect((await caller.closed).code).toBe(1_000)
  const { call: ended, words } = await transcriptOf(call.id)
  expect(ended).toMatchObject({ status: 'completed', ended_reason: 'caller_hangup', worker_generations: 1 })
  expect(words).toEqual(caller.ear)
  expect(ended.transcript[1]).toMatchObject({ role: 'caller', text: 'Why is the sky blue?' })
  const logs = await eventually(async () => {
    const headers = { authorization: `Bearer ${fleet.workspace.apiKey}` }
    const answer = await fetch(`${fleet.url}/v1/logs?trace_id=${call.id}`, { headers })
    const { data } = (await answer.json()) as Json
    return data.length === 1 ? data : null
  })
  expect(logs[0]).toMatchObject({ model: 'sim/small' })
  const paid = await eventually(async () => {
    const { call: read } = await transcriptOf(call.id)
    return read.cost?.settled === true ? read : null
  })
  expect(paid.cost.llm_usd).toBeGreaterThan(0)
  const after = await readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
  expect(after.violations).toEqual([])
  expect(Number(before.balance - after.balance) / 1e9).toBeCloseTo(paid.cost_usd, 9)
}, 120_000)

it('goes on at another worker when one is killed in the middle of a sentence', async () => {
  const { call, caller } = await begin(Array.from({ length: 60 }, (_, i) => `word${i}`).join(' '))
  await eventually(() => caller.ear.length > 4)
  const another = await fleet.add('voice-worker')
  media.aim(Number(new URL(another.url).port))
  worker.signal('SIGKILL')
  const { atMs: lostMs } = await caller.closed
  const again = connectWebCaller(call.join_url, caller.resumeToken, caller.ear, caller.lastPlayed)
  await eventually(() => again.heardAtMs > 0)
  expect(again.heardAtMs - lostMs).toBeLessThan(3_000)
  await eventually(() => again.ear.join(' ').endsWith('Sorry, the line cut out.'))
  again.hangUp()
  await again.closed
  const { call: ended, words } = await transcriptOf(call.id)
  expect(ended).toMatchObject({ status: 'completed', worker_generations: 2, trace_id: call.id })
  expect(words).toEqual(again.ear)
  const { violations } = await readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
  expect(violations).toEqual([])
}, 120_000)

function isListening({ messages }: WebCaller): boolean {
  const states = messages.flatMap((message) => (message.type === 'state' ? [message.state] : []))
  return states.at(-1) === 'listening'
}

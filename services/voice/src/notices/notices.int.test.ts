import { randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { OutboxRow } from '@ratchet/work-kit/outbox/publish-outbox'
import { createPgCallUpkeep, createPgCallWork } from '../calls/pg-call-work.ts'
import { createPgCalls } from '../calls/pg-calls.ts'
import { createPgCanaries } from '../canaries/pg-canaries.ts'
import { createPgVerdicts } from '../judgements/pg-verdicts.ts'
import { createPgPhoneWork } from '../phone/pg-phone-work.ts'
import { createPgRecordings } from '../recordings/pg-recordings.ts'
import { newAgent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { createPgNotices } from './pg-notices.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp()
  await app.operator.query(
    "INSERT INTO voice_worker (id, seen_at, calls, max_calls) VALUES ('w', now() + interval '1 hour', 0, 9)",
  )
})
afterAll(() => app.drop())
beforeEach(() => app.operator.query('DELETE FROM voice_notice'))

const judges = [publicId('criterion', randomUUID()), publicId('criterion', randomUUID())]
const usage = { answeredMs: 2_500, recognizedMs: 0, spokenCharacters: 0 }
const hash = (byte: number) => Buffer.alloc(32, byte)

/** A call in progress. */
async function begunCall(settings: object = {}) {
  const by = randomUUID()
  const { body: agent } = await app.send('post', '/v1/agents', { body: { ...newAgent, ...settings }, by })
  const { body: call } = await app.send('post', '/v1/calls/create', {
    body: { agent_id: agent.id, type: 'web', metadata: { ticket: 'secret' }, variables: { company: 'secret' } },
    by,
  })
  const id = uuidOf('call', call.id) ?? ''
  await app.operator.query('UPDATE call SET token_hash = $2 WHERE id = $1', [id, hash(1)])
  const claim = { id, workerId: 'w', tokenHash: hash(1), nextHash: hash(2) }
  await createPgCallWork(app.pool).claim(claim)
  return { by, id, call, agent, key: { workspaceId: by, id, generation: 1 } }
}

const pending = (after: OutboxRow | null = null) => createPgNotices(app.pool).pending(100, after)
/** The types of all events of a subject, in the order in which they are published. */
async function published(): Promise<readonly string[]> {
  const types: string[] = []
  for (let rows = await pending(); rows.length > 0; rows = await pending()) {
    types.push(...rows.map(({ event }) => event.type))
    await createPgNotices(app.pool).end(
      rows.map(({ id }) => id),
      new Date(),
    )
  }
  return types
}

it('has an event when a call begins and one when it ends, however often a worker says so, in this order', async () => {
  const { id, key, by, call, agent } = await begunCall()
  const work = createPgCallWork(app.pool)
  // The caller connects again: no new beginning.
  expect(await work.claim({ id, workerId: 'w', tokenHash: hash(2), nextHash: hash(3) })).toMatchObject({
    generation: 2,
  })
  const end = { status: 'completed', reason: 'caller_hangup', by: 'caller', usage } as const
  const ends = await Promise.all([2, 2, 1].map((generation) => work.end({ ...key, generation }, end)))
  expect(ends.filter(Boolean)).toHaveLength(1)
  const [first, ...others] = await pending()
  expect(others).toEqual([])
  expect(first?.event).toMatchObject({ type: 'call.started', identity: { workspaceId: by } })
  await createPgNotices(app.pool).end([first?.id ?? ''], new Date())
  const [{ event } = { event: undefined }] = await pending()
  const { body: read } = await app.send('get', `/v1/calls/${call.id}`, { by })
  const { variables: _, metadata: __, to_number: ___, from_number: ____, ...shown } = read
  expect(event?.type).toBe('call.ended')
  expect(event?.data).toEqual({
    object: 'call',
    id: call.id,
    agent_id: agent.id,
    ...Object.fromEntries(
      ['type', 'direction', 'number_id', 'status', 'env', 'agent_version', 'arm', 'created_at', 'answered_at']
        .concat(['ended_at', 'duration_seconds', 'ended_reason', 'ended_by'])
        .map((name) => [name, shown[name]]),
    ),
  })
  expect(event?.data).toMatchObject({ status: 'completed', duration_seconds: 2.5, ended_reason: 'caller_hangup' })
})

it('has no event when the change is undone', async () => {
  const { key } = await begunCall()
  await published()
  await app.operator.query("ALTER TABLE call_event ADD CONSTRAINT no_end CHECK (kind <> 'end') NOT VALID")
  const end = { status: 'completed', reason: 'silence', by: 'system', usage } as const
  await expect(createPgCallWork(app.pool).end(key, end)).rejects.toThrow('no_end')
  await app.operator.query('ALTER TABLE call_event DROP CONSTRAINT no_end')
  expect(await published()).toEqual([])
})

it('has an event that the recording of a call can be read, when there is one', async () => {
  const { id, by, key } = await begunCall({ recording_enabled: true })
  const chunk = { atMs: 0, sampleRate: 16_000, samples: 16_000, sealed: Buffer.alloc(8) }
  expect(await createPgRecordings(app.pool).write({ workspaceId: by, id, generation: 1 }, chunk)).toBe(true)
  const end = { status: 'completed', reason: 'silence', by: 'system', usage } as const
  await createPgCallWork(app.pool).end(key, end)
  expect(await published()).toEqual(['call.started', 'call.ended', 'call.recording_ready'])
  expect(await createPgRecordings(app.pool).write({ workspaceId: by, id, generation: 1 }, chunk)).toBe(false)
})

it('has an event for a call whose worker was lost, and for one that nobody answered', async () => {
  const { id } = await begunCall()
  await app.operator.query("UPDATE call SET seen_at = now() - interval '1 hour' WHERE id = $1", [id])
  await Promise.all([1, 2].map(() => createPgCallUpkeep(app.pool).endAbandoned(20_000)))
  expect(await published()).toEqual(['call.started', 'call.ended', 'call.worker_lost'])
  const by = randomUUID()
  const { body: agent } = await app.send('post', '/v1/agents', { body: newAgent, by })
  const { body: call } = await app.send('post', '/v1/calls/create', { body: { agent_id: agent.id, type: 'web' }, by })
  await app.send('post', `/v1/calls/${call.id}/stop`, { by })
  await createPgCalls(app.pool).endWaiting(
    { workspaceId: by, id: uuidOf('call', call.id) ?? '' },
    { status: 'canceled', reason: 'canceled', by: 'api' },
  )
  expect(await published()).toEqual(['call.ended'])
})

it('has one event when the last judge of a call has said its verdict, also when two do at once', async () => {
  for (const judge of judges) app.judges.add(judge)
  const { id, by, key } = await begunCall({ criterion_ids: judges })
  await createPgCallWork(app.pool).end(key, { status: 'completed', reason: 'silence', by: 'system', usage })
  await published()
  const verdicts = createPgVerdicts(app.pool)
  const [one, two] = judges.map((judge) => ({ id, workspaceId: by, criterionId: uuidOf('criterion', judge) ?? '' }))
  const save = (due: typeof one, step: object) => verdicts.save(due as never, step as never)
  await save(one, { state: 'planned', instrument: 1, afterMs: 1_000 })
  expect(await published()).toEqual([])
  const done = { state: 'done', verdict: 'pass', trust: 'trustworthy' }
  await Promise.all([save(one, done), save(two, { state: 'failed', failure: 'short' }), save(one, done)])
  expect(await published()).toEqual(['call.analyzed'])
})

it('has an event when the gate of a canary says something new that a person should know', async () => {
  const judge = judges[0] as string
  app.judges.add(judge)
  const by = randomUUID()
  const { body: agent } = await app.send('post', '/v1/agents', { body: newAgent, by })
  await app.send('patch', `/v1/agents/${agent.id}`, { body: { system_prompt: 'Be curt.', publish: false }, by })
  const body = { version: 2, percent: 50, gate_criterion_id: judge }
  expect((await app.send('put', `/v1/agents/${agent.id}/canary`, { body, by })).status).toBe(200)
  const canaries = createPgCanaries(app.pool)
  const canary = await canaries.get({ workspaceId: by, id: uuidOf('agent', agent.id) ?? '' })
  if (canary === null) throw new Error('no canary')
  const look = (state: string) => canaries.saveLook(canary, { state, reason: 'So.' } as never, new Date())
  for (const state of ['collecting', 'starved', 'starved', 'healthy', 'promote_ready', 'promote_ready']) {
    await look(state)
  }
  const finding = { state: 'rolled_back', reason: 'Worse.' } as never
  const decide = () => canaries.decide(canary, { kind: 'rolled_back', finding, eventId: randomUUID(), at: new Date() })
  expect([await decide(), await decide()]).toEqual([true, false])
  expect(await published()).toEqual(['agent.canary.starved', 'agent.canary.promote_ready', 'agent.canary.rolled_back'])
})

it('has an event when a carrier does not answer a check any more, and not at each further check', async () => {
  const by = randomUUID()
  const { status, body } = await app.send('post', '/v1/numbers', {
    body: {
      e164: '+4930123456',
      provider: 'sip',
      sip: { termination_uri: 'sip:trunk.example.com', allowed_ips: ['1.2.3.4'] },
    },
    by,
  })
  expect([status, body.e164]).toEqual([201, '+4930123456'])
  const key = { workspaceId: by, id: uuidOf('voiceNumber', body.id) ?? '' }
  for (const answeredMs of [12, null, null, 20, null]) await createPgPhoneWork(app.pool).saveCheck(key, answeredMs)
  expect(await published()).toEqual(['number.unreachable', 'number.unreachable'])
})

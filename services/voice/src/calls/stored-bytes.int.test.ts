import { randomUUID } from 'node:crypto'
import { newAgent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { createTestCall, uuidOfCall } from './call-system.fixture.ts'
import { createPgCallWork } from './pg-call-work.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp()
  await createPgCallWork(app.pool).publish({ id: 'w1', calls: 0, maxCalls: 20 })
})
afterAll(() => app.drop())

const gibibyte = 1024 ** 3

async function newWorkspace(): Promise<string> {
  const id = randomUUID()
  await app.operator.query("INSERT INTO workspace (id, slug, name, created_at) VALUES ($1, $2, 'W', now())", [
    id,
    `w-${id}`,
  ])
  return id
}

async function storedBytes(workspaceId: string): Promise<number> {
  const { rows } = await app.operator.query<{ bytes: string }>(
    'SELECT coalesce(sum(bytes), 0)::text AS bytes FROM stored_bytes WHERE workspace_id = $1',
    [workspaceId],
  )
  return Number(rows[0]?.bytes)
}

async function fill(workspaceId: string): Promise<void> {
  await app.operator.query(
    `INSERT INTO stored_bytes VALUES ($1, 'infinity', $2) ON CONFLICT (workspace_id, expires_on) DO UPDATE SET bytes = excluded.bytes`,
    [workspaceId, 1_000_000 * gibibyte],
  )
}

it('counts versions of agents, and refuses more than the quota of the workspace', async () => {
  const by = await newWorkspace()
  const { body: agent } = await app.send('post', '/v1/agents', { body: newAgent, by })
  const before = await storedBytes(by)
  const change = { system_prompt: 'ä'.repeat(20_000) }
  expect((await app.send('patch', `/v1/agents/${agent.id}`, { by, body: change })).status).toBe(200)
  expect((await storedBytes(by)) - before).toBeGreaterThan(40_000)
  await fill(by)
  const refused = await app.send('patch', `/v1/agents/${agent.id}`, { by, body: { name: 'Other' } })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN'])
  expect((await app.send('post', '/v1/agents', { body: newAgent, by })).status).toBe(403)
})

it('counts what was said in a call from its end on until it is erased, and begins none beyond the quota', async () => {
  const by = await newWorkspace()
  const { call } = await createTestCall(app, { by, call: { metadata: { note: 'x'.repeat(1_000) } } })
  const before = await storedBytes(by)
  const id = uuidOfCall(call.id)
  const work = createPgCallWork(app.pool)
  await app.operator.query(
    "UPDATE call SET status = 'in_progress', answered_at = now(), generation = 1 WHERE id = $1",
    [id],
  )
  const held = { workspaceId: by, id, generation: 1 }
  const said = {
    role: 'caller',
    text: 'y'.repeat(5_000),
    startMs: 0,
    endMs: 1,
    isInterrupted: false,
    playedMs: null,
  } as const
  const turns = [{ ...said, index: 0, latency: null }]
  await work.write(held, { turns, events: [], spokenNow: null, at: new Date() })
  expect(await storedBytes(by)).toBe(before)
  await fill(by)
  expect((await createTestCall(app, { by })).agent.error.code).toBe('FORBIDDEN')
  const refused = await app.send('post', '/v1/calls/create', { by, body: { agent_id: call.agent_id, type: 'web' } })
  expect(refused.status).toBe(403)
  const full = await storedBytes(by)
  const usage = { answeredMs: 1, recognizedMs: 1, spokenCharacters: 0 }
  await work.end(held, { status: 'completed', reason: 'caller_hangup', by: 'caller', usage })
  const ofTexts = (await storedBytes(by)) - full
  expect(ofTexts).toBeGreaterThanOrEqual(5_000)
  expect((await app.send('delete', `/v1/calls/${call.id}`, { by })).status).toBe(200)
  expect(full - (await storedBytes(by))).toBeGreaterThan(1_000)
})

import { randomUUID } from 'node:crypto'
import type { SplitToWeighBody, WeighedSplit } from '@ratchet/contracts/internal-split'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { newAgent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { createPgCanaries } from './pg-canaries.ts'
import { watchCanaries } from './watch-canaries.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp()
  await app.operator.query(
    "INSERT INTO voice_worker (id, seen_at, calls, max_calls) VALUES ('w', now() + interval '1 hour', 0, 9)",
  )
})
afterAll(() => app.drop())

const judge = publicId('criterion', randomUUID())
const limits = {
  max_latency_ratio: null,
  max_cost_ratio: null,
  max_hangup_increase: null,
  max_tool_error_increase: null,
}

async function twoVersions(by = randomUUID()) {
  app.judges.add(judge)
  const { body: agent } = await app.send('post', '/v1/agents', { body: newAgent, by })
  await app.send('patch', `/v1/agents/${agent.id}`, { body: { system_prompt: 'Be curt.', publish: false }, by })
  return { by, id: agent.id as string, path: `/v1/agents/${agent.id}/canary` }
}

const settings = { version: 2, percent: 50, gate_criterion_id: judge, gate_mode: 'auto' }

/** A call of the split that has ended, with a verdict. */
interface Ended {
  readonly arm: 'target' | 'canary'
  readonly verdict?: 'pass' | 'fail'
  readonly failure?: string
  readonly talkedMs?: number
  readonly open?: boolean
}

async function addCalls(agentId: string, by: string, calls: readonly Ended[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const { arm, verdict = null, failure = null, talkedMs = 30_000, open = false } of calls) {
    const id = randomUUID()
    ids.push(id)
    await app.operator.query(
      `INSERT INTO call (id, workspace_id, owner_user_id, agent_id, agent_version, env, type, status, ended_reason, ended_by,
        overrides, variables, metadata, retention_days, created_at, answered_at, ended_at, talked_ms, arm, canary_epoch)
       VALUES ($1, $2, $2, $3, 1, 'live', 'web', 'completed', 'caller_hangup', 'caller', '{}', '{}', '{}', 30, now() + $6 * interval '1 second',
        now(), now(), $4, $5, 1)`,
      [id, by, uuidOf('agent', agentId), talkedMs, arm, ids.length],
    )
    const state = open ? 'planned' : verdict === null ? 'failed' : 'done'
    await app.operator.query(
      `INSERT INTO call_verdict (call_id, workspace_id, criterion_id, state, verdict, failure, instrument, due_at)
       VALUES ($1, $2, $3, $4, $5, $6, 1, now())`,
      [id, by, uuidOf('criterion', judge), state, verdict, failure],
    )
  }
  return ids
}

it('is set, read, paused and ended; equal settings begin no new split', async () => {
  const { by, path } = await twoVersions()
  expect((await app.send('get', path, { by })).status).toBe(404)
  const { status, body } = await app.send('put', path, { body: settings, by })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    object: 'agent.canary',
    ...settings,
    target_version: 1,
    epoch: 1,
    state: 'collecting',
    gate_guard: limits,
    gate_window_hours: 168,
    arms: { target: { version: 1, calls: 0, pass_rate: null }, canary: { version: 2, calls: 0 } },
  })
  expect((await app.send('put', path, { body: settings, by })).body.epoch).toBe(1)
  const paused = await app.send('put', path, { body: { ...settings, percent: 0 }, by })
  expect(paused.body).toMatchObject({ epoch: 2, state: 'paused' })
  expect((await app.send('delete', path, { by })).body).toMatchObject({ deleted: true })
  expect((await app.send('get', path, { by })).status).toBe(404)
  expect((await app.send('delete', path, { by })).status).toBe(404)
  expect((await app.send('put', path, { body: settings, by })).body.epoch).toBe(3)
})

it('refuses versions, judges and agents that do not fit', async () => {
  const { by, path } = await twoVersions()
  const put = async (body: object, sent: object = {}) => app.send('put', path, { body, by, ...sent })
  expect((await put({ ...settings, version: 1 })).status).toBe(409)
  expect((await put({ ...settings, version: 9 })).status).toBe(404)
  expect((await put({ ...settings, gate_criterion_id: publicId('criterion', randomUUID()) })).status).toBe(404)
  expect((await put({ ...settings, percent: 101 })).body.error.code).toBe('INVALID_BODY')
  expect((await put({ ...settings, surprise: 1 })).body.error.code).toBe('INVALID_BODY')
  expect((await put(settings, { by: randomUUID() })).status).toBe(404)
})

it('divides new calls that name no version, and has them judged', async () => {
  const { by, id, path } = await twoVersions()
  await app.send('put', path, { body: settings, by })
  const created: { arm: string; agent_version: number; id: string }[] = []
  for (let i = 0; i < 24; i++) {
    const { body } = await app.send('post', '/v1/calls/create', { body: { agent_id: id, type: 'web' }, by })
    created.push(body)
    await app.send('post', `/v1/calls/${body.id}/stop`, { by })
  }
  expect(new Set(created.map(({ arm, agent_version: version }) => `${arm} ${version}`))).toEqual(
    new Set(['target 1', 'canary 2']),
  )
  const named = await app.send('post', '/v1/calls/create', {
    body: { agent_id: id, type: 'web', agent_version: 2 },
    by,
  })
  expect(named.body).toMatchObject({ arm: null, agent_version: 2 })
  const call = await app.send('get', `/v1/calls/${created[0]!.id}`, { by })
  expect(call.body.analysis).toEqual({
    success: null,
    verdicts: [{ criterion_id: judge, state: 'pending', verdict: null, failure: null, trust: null }],
  })
})

it('counts calls up to the first that is open, and does what the gate of aliases decides', async () => {
  const { by, id, path } = await twoVersions()
  await app.send('put', path, { body: settings, by })
  const good: Ended = { arm: 'target', verdict: 'pass' }
  const ids = await addCalls(id, by, [
    ...[good, good, { arm: 'canary', verdict: 'fail' } as const, { arm: 'canary', verdict: 'pass' } as const],
    ...[{ arm: 'canary', failure: 'short', talkedMs: 4_000 } as const, { arm: 'target', failure: 'unjudged' } as const],
    ...[{ arm: 'target', open: true } as const, { arm: 'canary', verdict: 'fail' } as const],
  ])
  const asked: SplitToWeighBody[] = []
  let action: WeighedSplit['action'] = null
  const canaries = createPgCanaries(app.pool)
  const nothing = { trust: null, youden: null, difference: null, graded_difference: null, srm_p: null, guard: [] }
  const grades = { grade: 'fail', grade_probability: 0.5, skip_probability: null }
  const deps = {
    canaries,
    judging: { call: async () => ({ data: [{ trace_id: publicId('call', ids[2]!), ...grades }] }) },
    alias: {
      async call(_endpoint: unknown, { body }: { body: SplitToWeighBody }) {
        asked.push(body)
        return {
          state: action === null ? 'collecting' : 'rolled_back',
          reason: 'So.',
          action,
          instrument: 1,
          ...nothing,
        }
      },
    },
    now: () => new Date(),
    newId: randomUUID,
    onError(error: unknown) {
      throw error
    },
  } as unknown as Parameters<typeof watchCanaries>[0]
  const look = async () => {
    await app.operator.query(
      'UPDATE agent_canary SET looked_at = CASE WHEN workspace_id = $1 THEN NULL ELSE now() END',
      [by],
    )
    await watchCanaries(deps)
  }
  await look()
  const [body] = asked.slice(-1)
  expect(body).toMatchObject({
    criterion_id: judge,
    mode: 'auto',
    canary_percent: 50,
    confidence: 0.95,
    guard: { max_increase: { short_increase: 0.05 }, max_latency_ratio: null, max_cost_ratio: null },
    target: { assigned: 4, scored: 2, fails: 0, open: 1, unjudged: 1, left_out: 0, graded: 0 },
    canary: { assigned: 4, scored: 2, fails: 1, open: 0, unjudged: 0, left_out: 1, graded: 1 },
  })
  expect(body?.canary.grades).toEqual([
    { verdict: 'fail', skipped: false, answers: 1, weights: 2, squares: 4, fail_weights: 2 },
  ])
  expect(body?.canary.failures).toEqual({
    short_increase: { having: 1, of: 3 },
    hangup_increase: { having: 1, of: 3 },
    tool_error_increase: { having: 0, of: 3 },
  })
  expect((await app.send('get', path, { by })).body).toMatchObject({ state: 'collecting', looks: 1, reason: 'So.' })
  action = 'roll_back'
  await look()
  expect((await app.send('get', path, { by })).body).toMatchObject({ state: 'rolled_back', looks: 2 })
  const after = await app.send('post', '/v1/calls/create', { body: { agent_id: id, type: 'web' }, by })
  expect(after.body).toMatchObject({ arm: null, agent_version: 1 })
  await app.send('put', path, { body: { ...settings, percent: 20 }, by })
  action = 'promote'
  await look()
  expect((await app.send('get', `/v1/agents/${id}`, { by })).body.published_version).toBe(2)
  const { rows } = await app.operator.query<{ kind: string }>(
    'SELECT kind FROM agent_event WHERE workspace_id = $1 ORDER BY at, id',
    [by],
  )
  expect(
    rows
      .map(({ kind }) => kind)
      .filter((kind) => kind.startsWith('canary'))
      .toSorted(),
  ).toEqual([...['canary_promoted', 'canary_rolled_back', 'canary_set', 'canary_set']])
})

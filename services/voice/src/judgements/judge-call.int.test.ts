import { randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { newAgent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { judgeCalls } from './judge-call.ts'
import { createPgVerdicts } from './pg-verdicts.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp()
  await app.operator.query(
    "INSERT INTO voice_worker (id, seen_at, calls, max_calls) VALUES ('w', now() + interval '1 hour', 0, 9)",
  )
})
afterAll(() => app.drop())

const judge = publicId('criterion', randomUUID())

/** A call of an agent with a judge, that has ended. */
async function endedCall({ status = 'completed', talkedMs = 40_000, requests = 2, agoMs = 0 } = {}) {
  const by = randomUUID()
  app.judges.add(judge)
  const { body: agent } = await app.send('post', '/v1/agents', { body: { ...newAgent, criterion_ids: [judge] }, by })
  const { body: call } = await app.send('post', '/v1/calls/create', { body: { agent_id: agent.id, type: 'web' }, by })
  const id = uuidOf('call', call.id)
  await app.operator.query(
    `UPDATE call SET status = $2, answered_at = now(), ended_at = now() - $4 * interval '1 millisecond',
      ended_reason = 'caller_hangup', talked_ms = $3 WHERE id = $1`,
    [id, status, talkedMs, agoMs],
  )
  for (let i = 0; i < requests; i++) {
    const values = [randomUUID(), id, by]
    await app.operator.query('INSERT INTO call_request (request_id, call_id, workspace_id) VALUES ($1, $2, $3)', values)
  }
  return {
    by,
    id: call.id as string,
    analysis: async () => (await app.send('get', `/v1/calls/${call.id}`, { by })).body.analysis,
  }
}

interface World {
  steps?: number
  off?: boolean
  gone?: boolean
  trust?: string
  verdict?: { state: string; verdict: string | null }
}

/** Passes over what is due; each has everything due at once. */
function passes(world: World) {
  const planned: { runs: { trace_id: string; step_ids: string[]; canary: boolean }[] }[] = []
  const errors: unknown[] = []
  const judging = {
    async call({ path }: { path: string }, { body }: { body: { runs: never } }) {
      if (path.includes('gate-judges')) {
        if (world.gone) throw new FleetCallError('none', { status: 404, code: 'not_found' })
        const criterion = { id: judge, unit: 'trace', status: 'draft', trust: world.trust ?? 'trustworthy' }
        return { criterion, instrument: 3 }
      }
      if (path.endsWith('gate-judgements')) return void planned.push(body as never)
      const [id] = (body as unknown as { trace_ids: string[] }).trace_ids
      return { data: world.verdict === undefined ? [] : [{ trace_id: id, ...world.verdict }] }
    },
  }
  const logging = {
    async call(_endpoint: unknown, { body }: { body: { trace_ids: string[] } }) {
      if (world.off) throw new FleetCallError('off', { status: 403, code: 'logging_disabled' })
      const steps = Array.from({ length: world.steps ?? 2 }, (_, i) => ({
        id: `log_${i}`,
        segment: 's',
        tag: 'agent_1',
      }))
      if (steps.length === 0) return { data: [] }
      const at = new Date().toISOString()
      return { data: [{ trace_id: body.trace_ids[0], steps, last_at: at, expires_at: at, step_count: steps.length }] }
    },
  }
  const deps = {
    verdicts: createPgVerdicts(app.pool),
    judging,
    logging,
    onError: (error: unknown) => void errors.push(error),
  } as unknown as Parameters<typeof judgeCalls>[0]
  return {
    planned,
    errors,
    async pass() {
      await app.operator.query(
        "UPDATE call_verdict SET due_at = now() - interval '1 second' WHERE state IN ('waiting', 'planned')",
      )
      await judgeCalls(deps)
    },
  }
}

it('has a call judged when the log has all of it, and shows the verdict with the trust of the judge', async () => {
  const call = await endedCall()
  const world: World = { steps: 1 }
  const { pass, planned, errors } = passes(world)
  await pass()
  expect(planned).toEqual([])
  world.steps = 2
  await pass()
  expect(planned).toMatchObject([{ instrument: 3, runs: [{ trace_id: call.id, step_ids: ['log_0', 'log_1'] }] }])
  world.verdict = { state: 'pending', verdict: null }
  await pass()
  expect(await call.analysis()).toMatchObject({ success: null, verdicts: [{ state: 'pending' }] })
  world.verdict = { state: 'done', verdict: 'fail' }
  await pass()
  expect(await call.analysis()).toEqual({
    success: false,
    verdicts: [{ criterion_id: judge, state: 'done', verdict: 'fail', failure: null, trust: 'trustworthy' }],
  })
  expect(errors).toEqual([])
})

it('says nothing of success by a judge that is not trustworthy', async () => {
  const call = await endedCall()
  const { pass } = passes({ trust: 'under-measured', verdict: { state: 'done', verdict: 'pass' } })
  await pass()
  await pass()
  expect(await call.analysis()).toMatchObject({
    success: null,
    verdicts: [{ verdict: 'pass', trust: 'under-measured' }],
  })
})

it.each<[string, Parameters<typeof endedCall>[0], World]>([
  ['not_held', { status: 'no_answer' }, {}],
  ['short', { talkedMs: 9_999 }, {}],
  ['not_logged', {}, { off: true }],
  ['not_logged', { agoMs: 130_000 }, { steps: 0 }],
  ['no_judge', {}, { gone: true }],
  ['too_late', { agoMs: 7 * 3_600_000 }, {}],
])('says why there is no verdict: %s', async (failure, ended, world) => {
  const call = await endedCall(ended)
  await passes(world).pass()
  expect(await call.analysis()).toMatchObject({ success: null, verdicts: [{ state: 'failed', failure }] })
})

it('judges what the log has when an answer was broken off, and asks again when the judge has forgotten', async () => {
  const call = await endedCall({ requests: 3, agoMs: 25_000 })
  const { pass, planned } = passes({})
  await pass()
  await pass()
  await pass()
  expect(planned).toHaveLength(2)
  expect(await call.analysis()).toMatchObject({ verdicts: [{ state: 'pending' }] })
})

import type { LoggedRun } from '@ratchet/contracts/internal-logs'
import { checksWithoutScripts } from '@ratchet/judge-kit/checks/checks.fixture'
import { createJudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import {
  type Scripted,
  type ScriptedInference,
  scriptedInference,
} from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { countingUuids } from '@ratchet/testing/counting-ids'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { type JudgeOneDeps, judgeOneRoutes } from './routes.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const criterionUuid = '00000000-0000-7000-8000-0000000000bb'
const criterionId = 'crit_000000000000700080000000000000bb'
const logUuid = '00000000-0000-7000-8000-0000000000cc'
const logId = 'log_000000000000700080000000000000cc'
const pass = '{"verdict":"PASS","explanation":"Fine."}'
const given = { messages: [{ role: 'user', content: 'Hello?' }], response: 'Hello!' }
const entry = { ...given, response: { role: 'assistant', content: 'From the log.' }, tools: null, model: 'sim/small' }

const { now } = fixedClock()

function logWith(runs: readonly LoggedRun[]): JudgeOneDeps['log'] {
  return {
    entry: async (_identity, id) => (id === logUuid ? (entry as never) : null),
    readRuns: async (_identity, traceIds) => runs.filter((run) => traceIds.includes(run.trace_id)),
  }
}

function appWith(inference: ScriptedInference, changes: Partial<JudgeOneDeps> = {}) {
  const criterion = {
    judgePrompt: 'It is rude.',
    judgeModel: 'sim/judge',
    checks: null,
    unit: 'request',
  } as StoredCriterion
  const deps: JudgeOneDeps = {
    criteria: {
      get: async ({ workspaceId: by, id }) => (by === workspaceId && id === criterionUuid ? criterion : null),
    },
    log: logWith([]),
    judgeExchange: createJudgeExchange({ inference, now, ...checksWithoutScripts }),
    newId: countingUuids(),
    ...changes,
  }
  return testApp({ audience: 'judging', now, routes: (router) => judgeOneRoutes(router, deps) })
}

function post(
  { app, headersFor }: ReturnType<typeof appWith>,
  body: object | string,
  { id = criterionId, idempotencyKey = '', by = workspaceId } = {},
) {
  const path = `/v1/criteria/${id}/judge`
  const keyed = idempotencyKey === '' ? {} : { 'Idempotency-Key': idempotencyKey }
  return request(app)
    .post(path)
    .set({ 'content-type': 'application/json', ...headersFor('POST', path, by), ...keyed })
    .send(body)
}

const answering = (...script: readonly Scripted[]) =>
  scriptedInference({ answer: (_body, answered) => script[answered] ?? pass })

it('judges an exchange in the body', async () => {
  const inference = answering(pass)
  const { status, body } = await post(appWith(inference), given)
  expect([status, body]).toEqual([
    200,
    {
      object: 'criterion.verdict',
      verdict: 'pass',
      explanation: 'Fine.',
      judge_model: 'sim/judge',
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
      cost_usd: 0.000007,
    },
  ])
  expect(inference.calls[0]?.identity).toMatchObject({ workspaceId, purpose: 'judge' })
  expect(inference.calls[0]?.body.messages[1]?.content).toContain('\nHello!\n')
})

it('judges an entry of the log', async () => {
  const inference = answering(pass)
  expect((await post(appWith(inference), { log_id: logId })).status).toBe(200)
  expect(inference.calls[0]?.body.messages[1]?.content).toContain('\nFrom the log.\n')
})

it.each([
  ['nothing', {}, 'log_id'],
  ['an entry and messages', { log_id: logId, messages: given.messages }, 'messages'],
  ['an entry and an answer', { log_id: logId, response: 'x' }, 'response'],
  ['an entry and tools', { log_id: logId, tools: [] }, 'tools'],
  ['messages without an answer', { messages: given.messages }, 'response'],
  ['an answer without messages', { response: 'x' }, 'messages'],
  ['no messages', { ...given, messages: [] }, 'messages'],
  ['a message without a role', { ...given, messages: [{}] }, 'messages.0.role'],
  ['an answer that is a number', { ...given, response: 7 }, 'response'],
])('names what is wrong with %s', async (_case, sent, param) => {
  const { status, body } = await post(appWith(answering(pass)), sent)
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', param])
})

it('refuses unknown fields', async () => {
  const { status, body } = await post(appWith(answering(pass)), { ...given, logId })
  expect([status, body.error.code, body.error.param]).toEqual([400, 'unknown_parameter', 'logId'])
})

it('gives the same reply for entries of other workspaces as for unknown ones', async () => {
  const app = appWith(answering(pass))
  const foreign = await post(app, given, { by: '00000000-0000-7000-8000-0000000000dd' })
  const absent = await post(app, given, { id: 'crit_00000000000070008000000000000001' })
  const malformed = await post(app, given, { id: 'crit_1' })
  expect([foreign.status, foreign.text]).toEqual([404, absent.text])
  expect(malformed.text).toBe(absent.text)
  const absentLog = await post(app, { log_id: 'log_00000000000070008000000000000001' })
  const malformedLog = await post(app, { log_id: 'x' })
  expect([absentLog.status, absentLog.body.error.param, malformedLog.text]).toEqual([404, 'log_id', absentLog.text])
})

describe('of complete runs', () => {
  const run = (trace_id: string, more: Partial<LoggedRun> = {}): LoggedRun => ({
    trace_id,
    completed: true,
    last_at: '2026-01-07T12:00:00.000Z',
    expires_at: '2026-02-07T12:00:00.000Z',
    step_count: 1,
    steps: [{ id: logId, segment: 's', tag: null, canary: false } as never],
    ...more,
  })
  const runs = [run('done'), run('open', { completed: false }), run('long', { step_count: 501, steps: [] })]
  const runApp = (inference: ScriptedInference) =>
    appWith(inference, {
      criteria: {
        get: async () =>
          ({ judgePrompt: 'x', judgeModel: 'sim/judge', checks: null, unit: 'trace' }) as StoredCriterion,
      },
      log: logWith(runs),
    })

  it.each([{ trace_id: 'done' }, given])('a judge judges %j as a run', async (sent) => {
    const inference = answering(pass)
    expect((await post(runApp(inference), sent)).status).toBe(200)
    expect(inference.calls[0]?.body.messages[0]?.content).toContain('run FAIL')
  })

  it.each([
    [{ trace_id: 'open' }, 409, 'conflict', 'trace_id'],
    [{ trace_id: 'long' }, 400, 'context_length_exceeded', 'trace_id'],
    [{ trace_id: 'unknown' }, 404, 'not_found', 'trace_id'],
    [{ trace_id: 'a\0b' }, 400, 'invalid_request', 'trace_id'],
    [{ log_id: logId }, 400, 'unsupported_unit', 'log_id'],
    [{ log_id: logId, trace_id: 'done' }, 400, 'invalid_request', 'trace_id'],
    [{ trace_id: 'done', ...given }, 400, 'invalid_request', 'messages'],
  ])('a judge refuses %j', async (sent, status, code, param) => {
    const inference = answering(pass)
    const refused = await post(runApp(inference), sent)
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([status, code, param])
    expect(inference.calls).toEqual([])
  })

  it('none is judged by a judge of exchanges', async () => {
    const { status, body } = await post(appWith(answering(pass), { log: logWith(runs) }), { trace_id: 'done' })
    expect([status, body.error.code, body.error.param]).toEqual([400, 'unsupported_unit', 'trace_id'])
  })
})

it('refuses a log entry when logging is off', async () => {
  const log = { ...logWith([]), entry: async () => Promise.reject(new LoggingIsOff()) }
  const { status, body } = await post(appWith(answering(pass), { log }), { log_id: logId })
  expect([status, body.error.code]).toEqual([409, 'logging_disabled'])
})

it('answers a repeated key without a charge, and marks the replay', async () => {
  const inference = answering('Hm.', pass)
  const first = await post(appWith(inference), given, { idempotencyKey: 'abc' })
  const second = await post(appWith(inference), given, { idempotencyKey: 'abc' })
  expect(second.body).toEqual(first.body)
  expect([first.headers['idempotent-replay'], second.headers['idempotent-replay']]).toEqual([undefined, 'true'])
  expect(inference.charged).toHaveLength(2)
})

it('refuses an invalid key, and one that was used for another exchange', async () => {
  const app = appWith(answering(pass))
  await post(app, given, { idempotencyKey: 'abc' })
  const other = await post(app, { ...given, response: 'Bye!' }, { idempotencyKey: 'abc' })
  expect([other.status, other.body.error.code, other.body.error.param]).toEqual([
    409,
    'idempotency_conflict',
    'Idempotency-Key',
  ])
  const none = await post(app, given, { idempotencyKey: 'a b' })
  expect([none.status, none.body.error.param]).toEqual([400, 'Idempotency-Key'])
})

it('judges again without a key', async () => {
  const inference = answering(pass, pass)
  const app = appWith(inference)
  await post(app, given)
  await post(app, given)
  expect(inference.charged).toHaveLength(2)
})

it('reports that a judge gives no verdict', async () => {
  const { status, body } = await post(appWith(answering('Hm.', 'Hm.')), given)
  expect([status, body.error.type, body.error.code]).toEqual([502, 'upstream_error', null])
  expect(body.error.message).toMatch(/^The judge sim\/judge /)
})

it.each<[Scripted, number, string | null]>([
  [{ status: 402, code: 'insufficient_balance' }, 402, 'insufficient_balance'],
  [{ status: 404, code: 'model_not_found', param: 'model' }, 404, 'model_not_found'],
  [{ status: 400, code: 'unknown_provider' }, 400, 'unknown_provider'],
  [{ status: 400, code: 'context_length_exceeded' }, 400, 'context_length_exceeded'],
  [{ status: 409, code: 'conflict' }, 409, 'conflict'],
  [{ status: 502, code: null }, 502, null],
  [{ status: 503, code: 'service_unavailable' }, 503, 'service_unavailable'],
  [{ status: 0, code: null }, 503, 'service_unavailable'],
])('passes on %j', async (refused, status, code) => {
  const answer = await post(appWith(answering(refused)), given)
  expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, null])
  expect(answer.headers['retry-after']).toBe(code === 'conflict' || status === 503 ? '1' : undefined)
})

it('refuses a body that is too large', async () => {
  const { status, body } = await post(appWith(answering(pass)), { ...given, response: 'a'.repeat(1_100_000) })
  expect([status, body.error.code]).toEqual([413, 'request_too_large'])
})

it('judges an exchange with very deeply nested tools', async () => {
  const tools = `[${'['.repeat(100_000)}${']'.repeat(100_000)}]`
  const inference = answering(pass)
  const text = JSON.stringify({ ...given, tools: '@' }).replace('"@"', tools)
  const { status } = await post(appWith(inference), text)
  expect(status).toBe(200)
  expect(inference.calls[0]?.body.messages[1]?.content).toContain('- [nested too deep to be shown]')
})

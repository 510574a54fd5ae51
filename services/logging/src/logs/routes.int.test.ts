import { randomBytes } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { LogEntry, LogRow, listLogs } from '@ratchet/contracts/logs'
import { listSegments } from '@ratchet/contracts/segments'
import { SetupStatus } from '@ratchet/contracts/setup-status'
import { exportTrace, getTrace, listTraces } from '@ratchet/contracts/traces'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { testAppDeps } from '@ratchet/testing/service-app'
import { silentLogger } from '@ratchet/testing/silent-logger'
import type { Express } from 'express'
import request from 'supertest'
import { type ExchangeFields, storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { readSettings } from '../exchanges/pg-run-read.ts'
import { createPgFeedback } from '../feedback/pg-feedback.ts'
import { createPgSegmentTraffic } from '../segments/pg-segment-traffic.ts'
import { segmentRoutes } from '../segments/routes.ts'
import { setupRoutes } from '../setup/routes.ts'
import { noProgress } from '../setup/setup-status.ts'
import { createPgSpanReads } from '../traces/pg-span-reads.ts'
import { createPgTraceSteps } from '../traces/pg-trace-steps.ts'
import { traceRoutes } from '../traces/routes.ts'
import { traceReads } from '../traces/trace-reads.ts'
import { createPgWorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { createPgExchangeReads } from './pg-exchange-reads.ts'
import { logRoutes } from './routes.ts'

const at = new Date()
const later = (ms: number) => new Date(at.getTime() + ms)
const minute = 60_000
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'
const silent = '00000000-0000-7000-8000-0000000000cc'
const requestId = '00000000-0000-7000-8000-000000000001'
const key: NamedKey = { id: 'k1', secret: randomBytes(32) }

let database: FreshDatabase
let operator: Pool
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 1 })
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_logging', settings: readSettings, max: 4 })
  for (const [id, slug, logs] of [
    [workspaceId, 'acme', true],
    [outsider, 'other', true],
    [silent, 'silent', false],
  ]) {
    await operator.query('INSERT INTO workspace VALUES ($1, $2, $2, now())', [id, slug])
    await operator.query('INSERT INTO workspace_settings (workspace_id, logging_enabled) VALUES ($1, $2)', [id, logs])
  }
})

afterAll(async () => {
  await Promise.all([operator.end(), pool.end()])
  await database.drop()
})

beforeEach(() => pool.query('DELETE FROM exchange_block; DELETE FROM exchange; DELETE FROM span'))

const store = (...fields: ExchangeFields[]) => storeExchanges(pool, { workspaceId, at }, fields)
const logId = (uuid = '') => `log_${uuid.replaceAll('-', '')}`

function app(): Express {
  const now = () => at
  return createHttpApp({
    ...testAppDeps(now),
    requestId: () => requestId,
    routes: (router) => {
      router.use(requireIdentity({ audience: 'logging', keys: [key], now, logger: silentLogger }))
      const workspaces = createPgWorkspaceReads(pool)
      const traces = traceReads(createPgTraceSteps(pool), createPgSpanReads(pool))
      const reads = { exchanges: createPgExchangeReads(pool), traces, workspaces, now }
      const segments = createPgSegmentTraffic(pool)
      segmentRoutes(router, { ...reads, segments })
      logRoutes(router, { ...reads, feedback: createPgFeedback(pool) })
      traceRoutes(router, reads)
      setupRoutes(router, { workspaces, segments, now, progressOf: async () => noProgress })
    },
  })
}

/** As the edge sends what a page asks for. */
function sendAsPerson(url: string, by = workspaceId) {
  const bound = { audience: 'logging', requestId, method: 'GET', path: url }
  const session = { id: by, mayGrade: true, isFresh: false }
  const identity = { workspaceId: by, userId: by, role: 'member' as const, keyId: null, session }
  const signed = signIdentity(key, bound, identity, at.getTime())
  return request(app())
    .get(url)
    .set({ [requestIdHeader]: requestId, [identityHeader]: signed })
}

function send(url: string, { by = workspaceId, method = 'get' as 'get' | 'delete', accept = '*/*' } = {}) {
  const bound = { audience: 'logging', requestId, method: method.toUpperCase(), path: url }
  const identity = { workspaceId: by, userId: by, role: 'member' as const, keyId: by }
  const headers = { [requestIdHeader]: requestId, [identityHeader]: signIdentity(key, bound, identity, at.getTime()) }
  return request(app())
    [method](url)
    .set({ ...headers, accept })
}

it('reads a trace without the content of its steps, and does not read that', async () => {
  await store({ traceId: 't', createdAt: later(-minute) }, { traceId: 't' })
  await operator.query('ALTER TABLE exchange_block RENAME TO out_of_reach')
  try {
    const { status, body } = await send('/v1/traces/t?content=none')
    expect(status).toBe(200)
    expect(() => getTrace.reply.parse(body)).not.toThrow()
    expect(body.data.map((step: LogRow) => step.step_index)).toEqual([0, 1])
    expect(Object.keys(body.data[0]).sort()).toEqual(Object.keys(LogRow.shape).sort())
  } finally {
    await operator.query('ALTER TABLE out_of_reach RENAME TO exchange_block')
  }
})

it('lists entries with their content, the newest first', async () => {
  const tools = '[{"type":"function","function":{"name":"f"}}]'
  const [old, young] = await store(
    { createdAt: later(-2 * minute) },
    { createdAt: later(-minute), traceId: 't', content: { tools } },
  )
  const { status, body } = await send('/v1/logs')
  expect([status, body.total, body.limit, body.offset, body.has_more]).toEqual([200, 2, 50, 0, false])
  expect(body.data.map((each: LogEntry) => each.id)).toEqual([logId(young), logId(old)])
  expect(() => listLogs.reply.parse(body)).not.toThrow()
  expect(LogEntry.parse(body.data[0])).toMatchObject({
    step_index: 0,
    total_tokens: 15,
    cost_usd: 0.001,
    messages: [{ role: 'system' }, { role: 'user', content: 'What is the capital of France?' }],
    response: { role: 'assistant', content: 'Paris' },
    tools: JSON.parse(tools),
    response_format: null,
    params: { temperature: 0 },
  })
})

it('sends nothing but the conversation of an entry to somebody who grades it blind', async () => {
  const hidden = {
    servedModel: 'acme/telltale',
    requestedModel: 'telltale',
    alias: 'telltale-alias',
    canary: true,
  }
  const [id] = await store({ ...hidden, tag: 'telltale-tag', traceId: 'telltale-trace', provider: 'telltale-provider' })
  const whole = await send(`/v1/logs/${logId(id)}`)
  expect(whole.text).toContain('acme/telltale')
  const { status, body, text } = await sendAsPerson(`/session/logs/${logId(id)}/blind`)
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual(['id', 'messages', 'object', 'redaction', 'response'])
  expect([body.messages, body.response]).toEqual([whole.body.messages, whole.body.response])
  expect(text).not.toMatch(/telltale|model|alias|canary|cost|latency|tokens|created|provider|verdict|arm/)
  const run = await sendAsPerson('/session/traces/telltale-trace/blind')
  expect([run.status, run.body]).toEqual([200, { ...body, object: 'trace.blind', id: 'telltale-trace' }])
  expect((await sendAsPerson('/session/traces/telltale-trace/blind', outsider)).status).toBe(404)
  expect((await sendAsPerson(`/session/logs/${logId(id)}/blind`, outsider)).status).toBe(404)
  expect((await send(`/session/logs/${logId(id)}/blind`)).status).toBe(403)
})

it('lists entries without their content, and does not read it', async () => {
  await store({})
  await operator.query('ALTER TABLE exchange_block RENAME TO out_of_reach')
  try {
    const { status, body } = await send('/v1/logs?content=none')
    expect(status).toBe(200)
    expect(Object.keys(body.data[0]).sort()).toEqual(Object.keys(LogRow.shape).sort())
  } finally {
    await operator.query('ALTER TABLE out_of_reach RENAME TO exchange_block')
  }
})

it('continues behind an entry, and says whether there are more', async () => {
  const ids = await store(...[3, 2, 1].map((minutes) => ({ createdAt: later(-minutes * minute) })))
  const first = await send('/v1/logs?limit=2&content=none')
  expect([first.body.data.length, first.body.total, first.body.has_more]).toEqual([2, 3, true])
  const second = await send(`/v1/logs?limit=2&content=none&after=${first.body.data[1].id}`)
  expect([second.body.data.map(({ id }: LogRow) => id), second.body.has_more]).toEqual([[logId(ids[0])], false])
})

it.each([
  ['/v1/logs?frobnicate=1', 'unknown_parameter', 'frobnicate'],
  ['/v1/logs/export?limit=10001', 'invalid_request', 'limit'],
  ['/v1/logs?limit=0', 'invalid_request', 'limit'],
  ['/v1/logs?limit=201', 'invalid_request', 'limit'],
  ['/v1/logs?offset=10001', 'invalid_request', 'offset'],
  ['/v1/logs?content=some', 'invalid_request', 'content'],
  ['/v1/logs?cache_hit=1', 'invalid_request', 'cache_hit'],
  ['/v1/logs?start=yesterday', 'invalid_request', 'start'],
  ['/v1/logs?min_cost_usd=-1', 'invalid_request', 'min_cost_usd'],
  ['/v1/logs?tag=a&tag=b', 'invalid_request', 'tag'],
  ['/v1/logs?after=log_1', 'invalid_request', 'after'],
  ['/v1/traces?after=none', 'invalid_request', 'after'],
  ['/v1/traces?alias=a', 'unknown_parameter', 'alias'],
  ['/v1/setup/status?verbose=1', 'unknown_parameter', 'verbose'],
])('refuses %s', async (url, code, param) => {
  const { status, body } = await send(url)
  expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
})

it('filters by the parameters of the query', async () => {
  const [id] = await store({ tag: 'a', cached: true, createdAt: later(-minute), costNano: 2_000_000n }, { tag: 'a' })
  const day = at.toISOString().slice(0, 10)
  const query = `tag=a&cache_hit=true&start=2026-01-01&end=${day}T23:59:59.999Z&min_cost_usd=0.002&q=capital%20paris`
  const { body } = await send(`/v1/logs?${query}`)
  expect([body.data.map((each: LogEntry) => each.id), body.total]).toEqual([[logId(id)], 1])
})

it('exports training examples, one per line, with the answer last', async () => {
  const messages = '[{"role":"user","content":"a\\nb"},{"role":"assistant","tool_calls":[]}]'
  await store({ createdAt: later(-minute), content: { messages } }, {})
  const { status, headers, text } = await send('/v1/logs/export')
  expect([status, headers['content-type']]).toEqual([200, 'application/jsonl; charset=utf-8'])
  const lines = text.trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    messages: [
      { role: 'user', content: 'a\nb' },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'assistant', content: 'Paris' },
    ],
  })
  expect((await send('/v1/logs/export?tag=none')).text).toBe('')
  expect((await send('/v1/logs/export?limit=1')).text.trimEnd()).toBe(text.split('\n')[0])
})

it('exports no more than ten thousand', async () => {
  const fields = Array.from({ length: 5_010 }, (_, index) => ({ createdAt: later(-index * 1_000) }))
  await store(...fields)
  await store(...fields)
  const lines = (await send('/v1/logs/export')).text.trimEnd().split('\n')
  expect(lines).toHaveLength(10_000)
}, 60_000)

it('answers for an entry or trace of another workspace with the same bytes as for an unknown one', async () => {
  const [id] = await store({ traceId: 't' })
  for (const [method, url, absent] of [
    ['get', `/v1/logs/${logId(id)}`, `/v1/logs/log_${'0'.repeat(32)}`],
    ['delete', `/v1/logs/${logId(id)}`, '/v1/logs/nothing'],
    ['get', '/v1/traces/t', '/v1/traces/u'],
    ['get', '/v1/traces/t/export', '/v1/traces/u/export'],
    ['get', `/v1/logs?after=${logId(id)}`, '/v1/logs?after=x'],
  ] as const) {
    const foreign = await send(url, { by: outsider, method })
    expect(foreign.text).toEqual((await send(absent, { method })).text)
    expect(foreign.body.error.code).toMatch(/^(not_found|invalid_request)$/)
  }
  expect((await send(`/v1/logs/${logId(id)}`)).status).toBe(200)
})

it('deletes an entry from lists, traces and segments at once', async () => {
  const [id] = await store({ traceId: 't' })
  const url = `/v1/logs/${logId(id)}`
  const { status, body } = await send(url, { method: 'delete' })
  expect([status, body]).toEqual([200, { id: logId(id), object: 'log', deleted: true }])
  expect((await send(url)).status).toBe(404)
  expect((await send('/v1/logs/export')).text).toBe('')
  expect((await send('/v1/traces')).body.data).toEqual([])
})

it.each([
  ['get', '/v1/logs'],
  ['get', '/v1/logs/export'],
  ['get', '/v1/logs/segments'],
  ['get', '/v1/logs/log_1'],
  ['delete', '/v1/logs/log_1'],
  ['get', '/v1/traces'],
  ['get', '/v1/traces/t'],
  ['get', '/v1/traces/t/export'],
] as const)('refuses %s %s while logging is off', async (method, url) => {
  const { status, body } = await send(url, { by: silent, method })
  expect([status, body.error.code]).toEqual([409, 'logging_disabled'])
})

it('summarizes the steps of a trace', async () => {
  await store(
    { traceId: 't', createdAt: later(-30 * minute), finishReason: 'tool_calls', tag: 'b' },
    { traceId: 't', createdAt: later(-20 * minute), servedModel: 'acme/small', costNano: null, tag: 'a' },
    { traceId: 'u', createdAt: later(-5 * minute) },
    {},
  )
  await pool.query(`INSERT INTO span VALUES ($1, 't', 's1', NULL, 'lookup', 'tool', $2, $2, 'error', '{"k":1}', $3)`, [
    workspaceId,
    later(-25 * minute),
    later(minute),
  ])
  const list = await send('/v1/traces')
  expect(() => listTraces.reply.parse(list.body)).not.toThrow()
  expect(list.body.data.map(({ id, completed }: { id: string; completed: boolean }) => [id, completed])).toEqual([
    ['u', false],
    ['t', true],
  ])
  expect([list.body.total, list.body.has_more]).toEqual([2, false])
  const trace = (await send('/v1/traces/t')).body
  expect(() => getTrace.reply.parse(trace)).not.toThrow()
  expect(trace).toMatchObject({
    id: 't',
    steps: 2,
    models: ['acme/large', 'acme/small'],
    tags: ['a', 'b'],
    total_tokens: 30,
    cost_usd: 0.001,
    error_count: 1,
    completed: true,
    data: [
      { step_index: 0, finish_reason: 'tool_calls' },
      { step_index: 1, finish_reason: 'stop' },
    ],
    spans: [{ span_id: 's1', name: 'lookup', attributes: { k: 1 } }],
  })
  const exported = (await send('/v1/traces/t/export')).body
  expect(() => exportTrace.reply.parse(exported)).not.toThrow()
  expect([exported.messages.map(({ role }: { role: string }) => role), exported.steps.length]).toEqual([
    ['system', 'user', 'assistant'],
    2,
  ])
})

it.each([
  ['', ['c', 'b', 'a']],
  ['?limit=1', ['c']],
  ['?limit=1&offset=1', ['b']],
  ['?after=c', ['b', 'a']],
  ['?after=a', []],
  ['?tag=x', ['a', 'b']],
  ['?tag=x&after=a', ['b']],
  ['?min_steps=2', ['b', 'a']],
  ['?min_steps=3', []],
])('lists traces by their newest step that matches: %s', async (query, expected) => {
  const step = (traceId: string, minutes: number, tag: string | null = null) => ({
    traceId,
    tag,
    createdAt: later(-minutes * minute),
  })
  await store(step('a', 9), step('a', 5, 'x'), step('b', 6, 'x'), step('b', 3), step('c', 1))
  const { status, body } = await send(`/v1/traces${query}`)
  expect([status, body.data.map(({ id }: { id: string }) => id)]).toEqual([200, expected])
})

it('lists segments, the largest first, with their variants and a sample', async () => {
  await store(
    {},
    { segmentExact: 'exact-b', createdAt: later(-minute) },
    { segment: 'none', segmentExact: 'none', content: { messages: '[{"role":"user","content":"hi"}]' } },
  )
  await pool.query(
    `INSERT INTO segment_family (workspace_id, id, label, state) VALUES ($1, 'seg-a', 'Answer in one word', '{}')
     ON CONFLICT DO NOTHING`,
    [workspaceId],
  )
  const { body } = await send('/v1/logs/segments')
  expect(() => listSegments.reply.parse(body)).not.toThrow()
  expect(body).toMatchObject({
    total: 2,
    has_more: false,
    data: [
      { segment: 'seg-a', label: 'Answer in one word', exchanges: 2, exact_variants: 2, sample: 'Answer in one word.' },
      { segment: 'none', exchanges: 1, exact_variants: 1, sample: null },
    ],
  })
})

it('returns the setup status as JSON and as text', async () => {
  await store({}, {})
  const { body } = await send('/v1/setup/status', { accept: 'application/json' })
  expect(SetupStatus.parse(body)).toMatchObject({
    workspace: { slug: 'acme', name: 'acme' },
    logging: { enabled: true, retention_days: 30 },
    traffic: { logged_conversations: 2 },
    next: { action: 'create_judge' },
  })
  const text = await send('/v1/setup/status', { accept: 'text/plain' })
  expect(text.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(text.text.split('\n').slice(0, 5)).toEqual([
    'workspace.slug=acme',
    'workspace.name=acme',
    'logging.enabled=true',
    'logging.retention_days=30',
    'traffic.logged_conversations=2',
  ])
  const off = await send('/v1/setup/status', { by: silent })
  expect([off.status, off.body.next.action]).toEqual([200, 'enable_logging'])
})

it('distinguishes an unavailable log from an empty one', async () => {
  await operator.query('ALTER TABLE segment_traffic RENAME TO out_of_reach')
  try {
    const { text } = await send('/v1/setup/status', { accept: 'text/plain' })
    expect(text).toContain('traffic.logged_conversations=\n')
  } finally {
    await operator.query('ALTER TABLE out_of_reach RENAME TO segment_traffic')
  }
})

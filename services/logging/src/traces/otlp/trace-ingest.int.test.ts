import { connectPrisma } from '@ratchet/db/connect'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { changeWorkspaceSettings } from '@ratchet/db/workspace-settings'
import { unlimitedPlaces } from '@ratchet/service-kit/timing/fair-places'
import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { storedExchanges } from '@ratchet/testing/stored-exchanges'
import type { ExchangeLog } from '../../exchanges/exchange-log.ts'
import type { RawExchange } from '../../exchanges/raw-exchange.ts'
import { inlineRedactor } from '../../redaction/inline-redactor.fixture.ts'
import { toLoggedExchange } from '../../redaction/to-logged-exchange.ts'
import { inlineSkeletons } from '../../segments/inline-skeletons.fixture.ts'
import { mergingLog } from '../../start-log.ts'
import type { ExchangeStore } from '../../store/exchange-store.ts'
import { createPgExchangeStore } from '../../store/pg-exchange-store.ts'
import type { SentExport } from './decode-export.ts'
import { inlineExports } from './inline-exports.fixture.ts'
import { otlpRequest, type SpanSpec, spanId, traceId } from './otlp-request.fixture.ts'
import { createPgSpans } from './pg-spans.ts'
import { createTraceIngest, type TraceOutcome } from './trace-ingest.ts'

let database: FreshDatabase
let pool: Pool
let workspaceId: string
let ingest: (workspaceId: string, request: object) => Promise<TraceOutcome>
let counts: Record<string, number>
let log: ExchangeLog
let store: ExchangeStore

const startMs = Date.now() - 60_000
const startedAt = new Date(startMs)

const newStore = () =>
  createPgExchangeStore({
    writes: pool,
    reads: pool,
    sweeps: pool,
    newBlockId: () => crypto.randomUUID(),
    skeletons: inlineSkeletons,
  })

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_logging', max: 4 })
  store = newStore()
  log = mergingLog(store, silentLogger)
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

beforeEach(async () => {
  workspaceId = await loggingWorkspace({ loggingEnabled: true, retentionDays: 7 })
  counts = {}
  const onEvent = ({ kind, count }: { kind: string; count: number }) => {
    counts[kind] = (counts[kind] ?? 0) + count
  }
  const { ingest: ingestSent } = createTraceIngest({
    reader: inlineExports,
    log,
    store: { ...createPgSpans(pool), ...store.described },
    redactor: inlineRedactor,
    places: unlimitedPlaces,
    now: () => new Date(),
    onEvent,
  })
  ingest = (id, request) => ingestSent(id, sentAs(request))
})

const sentAs = (request: object): SentExport => ({ encoding: 'json', bytes: Buffer.from(JSON.stringify(request)) })

async function loggingWorkspace(changes: { loggingEnabled: boolean; retentionDays: number }): Promise<string> {
  const workspace = await createDemoWorkspace(database.url)
  const db = connectPrisma({ databaseUrl: database.url, max: 1 })
  await changeWorkspaceSettings(db, { workspaceId: workspace.workspaceId, changes })
  await db.$disconnect()
  return workspace.workspaceId
}

const chatAttributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'You are brief.' }]),
  'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]),
  'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] }]),
  'gen_ai.usage.input_tokens': 10,
  'gen_ai.usage.output_tokens': 5,
}
const chat = (spec: SpanSpec = {}): SpanSpec => ({
  startMs,
  ...spec,
  attributes: { ...chatAttributes, ...spec.attributes },
})
const resource = { 'service.name': 'agent' }

async function exchanges() {
  return storedExchanges<Row<'exchange'>>(pool, 'e.workspace_id = $1', [workspaceId])
}

async function spans() {
  const { rows } = await pool.query('SELECT * FROM span WHERE workspace_id = $1 ORDER BY span_id', [workspaceId])
  return rows
}

it('counts model calls in an unknown form, and stores them as spans', async () => {
  const attributes = { 'gen_ai.request.model': 'gpt-4o', 'acme.said': 'Hi' }
  const unread: SpanSpec = { startMs, spanId: 'd'.repeat(16), attributes }
  const tool: SpanSpec = { startMs, spanId: 'e'.repeat(16), attributes: { 'gen_ai.operation.name': 'execute_tool' } }
  const outcome = await ingest(workspaceId, otlpRequest([chat(), unread, tool]))
  expect(outcome).toEqual({ kind: 'stored', rejected: 1, reason: expect.stringContaining('form is not known') })
  expect(await exchanges()).toHaveLength(1)
  expect((await spans()).map(({ span_id }) => span_id)).toEqual([unread.spanId, tool.spanId])
  expect(counts.rejected).toBe(0)
})

const secret = `sk-proj-${'Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7'.repeat(2)}`

it('stores a model call as an exchange without a cost', async () => {
  const outcome = await ingest(workspaceId, otlpRequest([chat({ parentSpanId: 'c'.repeat(16) })], resource))
  expect(outcome).toEqual({ kind: 'stored', rejected: 0, reason: null })
  const [row, ...others] = await exchanges()
  expect(others).toEqual([])
  expect(row).toMatchObject({
    source: 'otlp',
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: 'c'.repeat(16),
    served_model: 'gpt-4o',
    tag: 'agent',
    cost_nano: null,
    prompt_tokens: 10,
    completion_tokens: 5,
    latency_ms: 1_500,
    created_at: startedAt,
    expires_at: new Date(startMs + 7 * 86_400_000),
    segment: expect.stringMatching(/^seg_/),
  })
  expect(JSON.parse(row?.messages ?? '')).toEqual([
    { role: 'system', content: 'You are brief.' },
    { role: 'user', content: 'Hi' },
  ])
  expect(JSON.parse(row?.response ?? '')).toEqual({ role: 'assistant', content: 'Hello' })
})

it('stores other spans, failed model calls among them, as spans', async () => {
  const tool = { startMs, name: 'lookup', spanId: '1'.repeat(16), attributes: { 'openinference.span.kind': 'TOOL' } }
  await ingest(workspaceId, otlpRequest([tool, chat({ spanId: '2'.repeat(16), statusCode: 2 })]))
  expect(await exchanges()).toEqual([])
  expect(await spans()).toMatchObject([
    { name: 'lookup', kind: 'tool', status: 'unset', started_at: startedAt },
    { kind: 'chat', status: 'error' },
  ])
})

it('stores a span that is sent again only once', async () => {
  const request = otlpRequest([chat(), chat(), { startMs, spanId: '1'.repeat(16) }])
  for (let i = 0; i < 3; i += 1) await ingest(workspaceId, request)
  await Promise.all([ingest(workspaceId, request), ingest(workspaceId, request)])
  expect(await exchanges()).toHaveLength(1)
  expect(await spans()).toHaveLength(1)
  expect(counts).toMatchObject({ exchange: 1 })
})

it('stores the same span of two workspaces separately', async () => {
  const other = await loggingWorkspace({ loggingEnabled: true, retentionDays: 30 })
  await ingest(other, otlpRequest([chat()]))
  await ingest(workspaceId, otlpRequest([chat()]))
  expect(await exchanges()).toHaveLength(1)
})

it('stores no secret of a span, wherever it is', async () => {
  const text = `my key is ${secret}`
  const message = (role: string) => JSON.stringify([{ role, parts: [{ type: 'text', content: text }] }])
  const leaky = chat({
    attributes: {
      'gen_ai.input.messages': message('user'),
      'gen_ai.output.messages': message('assistant'),
      'llm.invocation_parameters': JSON.stringify({ stop: [text] }),
      'gen_ai.tool.definitions': JSON.stringify([{ type: 'function', name: 'f', description: text }]),
    },
  })
  const other = {
    startMs,
    spanId: '1'.repeat(16),
    name: text,
    attributes: { 'http.url': text, nested: { deep: [text] } },
  }
  await ingest(workspaceId, otlpRequest([leaky, other]))
  const stored = JSON.stringify([await exchanges(), await spans()])
  expect(stored).toContain('[redacted]')
  expect(stored).not.toContain(secret)
  expect((await exchanges())[0]).toMatchObject({ redaction_count: 4 })
})

it('rejects spans that are too large, too old, in the future or malformed, and stores the others', async () => {
  const large = 'x'.repeat(512 * 1024)
  const outcome = await ingest(
    workspaceId,
    otlpRequest([
      chat(),
      chat({ spanId: '1'.repeat(16), attributes: { 'gen_ai.system_instructions': JSON.stringify([large]) } }),
      { startMs, spanId: '2'.repeat(16), attributes: { large } },
      chat({ spanId: '3'.repeat(16), startMs: startMs - 8 * 86_400_000 }),
      chat({ spanId: '4'.repeat(16), startMs: startMs + 7_200_000 }),
      chat({ spanId: 'short' }),
      chat({ spanId: '6'.repeat(16), attributes: { 'gen_ai.input.messages': `[${' '.repeat(3_000_000)}]` } }),
    ]),
  )
  expect(outcome).toMatchObject({ kind: 'stored', rejected: 6 })
  expect(await exchanges()).toHaveLength(1)
  expect(await spans()).toHaveLength(0)
  expect(counts).toMatchObject({ exchange: 1, rejected: 6 })
})

it('stores nothing of a workspace that does not log', async () => {
  const silent = await loggingWorkspace({ loggingEnabled: false, retentionDays: 30 })
  expect(await ingest(silent, otlpRequest([chat()]))).toEqual({ kind: 'logging-disabled' })
  await expect(ingest(workspaceId, { resourceSpans: 'none' })).rejects.toMatchObject({ param: 'resourceSpans' })
})

it('accepts text that Postgres cannot store unchanged', async () => {
  const nul = 'a\u0000b\ud800c'
  const attributes = {
    'gen_ai.request.model': nul,
    'gen_ai.provider.name': nul,
    'gen_ai.conversation.id': nul,
    'svc.tag': nul,
  }
  const said = { 'gen_ai.input.messages': [{ role: nul, parts: [{ type: 'text', content: nul }] }] }
  const outcome = await ingest(
    workspaceId,
    otlpRequest([
      chat({ attributes: { ...attributes, ...said, 'gen_ai.response.finish_reasons': [nul] } }),
      { startMs, spanId: '1'.repeat(16), name: nul, attributes: { [nul]: nul } },
    ]),
  )
  expect(outcome).toMatchObject({ rejected: 0 })
  expect(await exchanges()).toHaveLength(1)
  expect(await spans()).toHaveLength(1)
})

const gatewayRequestId = '01920000-0000-7000-8000-0000000000ab'

async function proxied(over: Partial<RawExchange> = {}): Promise<void> {
  const createdAt = new Date(startMs + 100)
  const raw: RawExchange = {
    id: crypto.randomUUID(),
    workspaceId,
    requestId: gatewayRequestId,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 7 * 86_400_000),
    source: 'gateway',
    servedModel: 'gpt-4o',
    requestedModel: 'gpt-4o',
    provider: 'openai',
    alias: null,
    canary: false,
    fallbackFrom: null,
    tag: null,
    traceId,
    spanId: null,
    parentSpanId: null,
    conversationId: null,
    finishReason: 'stop',
    stream: false,
    cached: false,
    promptTokens: 10,
    completionTokens: 5,
    reasoningTokens: null,
    costNano: 7n,
    latencyMs: 900,
    ttftMs: null,
    content: { messages: [], response: { role: 'assistant' }, tools: null, responseFormat: null, params: {} },
    ...over,
  }
  await log.write([toLoggedExchange(raw)])
}

it('attaches the span to the row of an exchange that the gateway logged', async () => {
  await proxied()
  const request = otlpRequest([chat({ parentSpanId: 'c'.repeat(16) })])
  for (let i = 0; i < 2; i += 1) await ingest(workspaceId, request)
  expect(await exchanges()).toMatchObject([
    { source: 'gateway', cost_nano: '7', trace_id: traceId, span_id: spanId, parent_span_id: 'c'.repeat(16) },
  ])
  expect(counts).toMatchObject({ attached: 1, known: 1, exchange: 0 })
})

it('attaches a span that names the request, also if the request has another trace', async () => {
  await proxied({ traceId: 'run-7' })
  const request = otlpRequest([chat({ attributes: { 'gen_ai.response.id': `chatcmpl-${gatewayRequestId}` } })])
  for (let i = 0; i < 2; i += 1) await ingest(workspaceId, request)
  expect(await exchanges()).toMatchObject([{ source: 'gateway', trace_id: 'run-7', span_id: spanId }])
})

it('sets the trace of a row without one to that of its span', async () => {
  await proxied({ traceId: null })
  await ingest(workspaceId, otlpRequest([chat({ attributes: { 'svc.request_id': gatewayRequestId } })]))
  expect(await exchanges()).toMatchObject([{ source: 'gateway', trace_id: traceId, span_id: spanId }])
})

it('merges the row of the gateway with that of a span that arrived before it', async () => {
  await ingest(workspaceId, otlpRequest([chat({ parentSpanId: 'c'.repeat(16) })]))
  for (let i = 0; i < 2; i += 1) await proxied()
  const merged = { source: 'gateway', cost_nano: '7', span_id: spanId, parent_span_id: 'c'.repeat(16) }
  expect(await exchanges()).toMatchObject([merged])
  await ingest(workspaceId, otlpRequest([chat()]))
  expect(await exchanges()).toMatchObject([merged])
})

it('leaves one row when the span and the request are written at the same time', async () => {
  for (let i = 0; i < 10; i += 1) {
    const id = { traceId: (i + 1).toString(16).padStart(32, '0') }
    const requestId = crypto.randomUUID()
    const other = createTraceIngest({
      reader: inlineExports,
      redactor: inlineRedactor,
      places: unlimitedPlaces,
      log: mergingLog(newStore(), silentLogger),
      store: { ...createPgSpans(pool), ...store.described },
      now: () => new Date(),
      onEvent() {},
    })
    await Promise.all([proxied({ ...id, requestId }), other.ingest(workspaceId, sentAs(otlpRequest([chat(id)])))])
  }
  expect(await exchanges()).toHaveLength(10)
  expect((await exchanges()).map(({ source, span_id }) => [source, span_id])).toEqual(
    Array(10).fill(['gateway', spanId]),
  )
})

it('stores another call of the same trace as an exchange of its own', async () => {
  await proxied()
  const elsewhere = chat({ spanId: '1'.repeat(16), startMs: startMs + 30_000 })
  await ingest(workspaceId, otlpRequest([chat(), elsewhere]))
  expect(await exchanges()).toMatchObject([
    { source: 'gateway', span_id: spanId },
    { source: 'otlp', span_id: '1'.repeat(16) },
  ])
})

it('stores a thousand spans in one export', async () => {
  const many = Array.from({ length: 1_000 }, (_, i) => {
    const id = (i + 1).toString(16).padStart(16, '0')
    return i % 2 === 0 ? chat({ spanId: id }) : { startMs, spanId: id }
  })
  await ingest(workspaceId, otlpRequest(many))
  expect(await exchanges()).toHaveLength(500)
  expect(await spans()).toHaveLength(500)
})

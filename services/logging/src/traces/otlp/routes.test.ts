import { gzipSync } from 'node:zlib'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { eventually } from '@ratchet/testing/eventually'
import { serveTestApp, testApp } from '@ratchet/testing/service-app'
import protobuf from 'protobufjs/light.js'
import { decodeExport, type SentExport } from './decode-export.ts'
import { otlpRequest, spansIn } from './otlp-request.fixture.ts'
import type { OtlpSpan } from './read-spans.ts'
import { droppedSignalRoutes, otlpRoutes } from './routes.ts'
import { readExchange } from './span-exchange.ts'
import type { TraceOutcome } from './trace-ingest.ts'

const uuid = '00000000-0000-7000-8000-000000000001'
const stored: TraceOutcome = { kind: 'stored', rejected: 0, reason: null }
const stops: (() => void)[] = []

afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

interface Service {
  readonly origin: string
  readonly spans: OtlpSpan[]
  /** Workspaces of exports that are not answered yet. */
  readonly running: readonly string[]
  /** Headers of a request. */
  readonly signed: (path?: string, workspaceId?: string) => Record<string, string>
}

/** The routes on a real port with a fake ingest, which records what it received and gives the configured answer. */
async function serve(outcome: () => TraceOutcome | Promise<TraceOutcome> = () => stored): Promise<Service> {
  const spans: OtlpSpan[] = []
  const running: string[] = []
  const now = () => new Date()
  const ingestTraces = async (workspaceId: string, sent: SentExport) => {
    expect(workspaceId.slice(0, -1)).toBe(uuid.slice(0, -1))
    spans.push(...(spansIn(decodeExport(sent))?.spans ?? []))
    running.push(workspaceId)
    try {
      return await outcome()
    } finally {
      running.splice(running.indexOf(workspaceId), 1)
    }
  }
  const { app, headersFor } = testApp({
    audience: 'logging',
    now,
    routes(router) {
      otlpRoutes(router, { ingestTraces })
      droppedSignalRoutes(router)
    },
  })
  const { origin, stop } = await serveTestApp(app)
  stops.push(() => void stop())
  return {
    origin,
    spans,
    running,
    signed: (path = '/v1/traces', workspaceId = uuid) => headersFor('POST', path, workspaceId),
  }
}

function post(
  { origin, signed }: Service,
  body: string | Buffer,
  headers: Record<string, string> = {},
  path = '/v1/traces',
) {
  return fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed(path), ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
}

const attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.request.temperature': 0.25,
  'gen_ai.usage.input_tokens': 97,
  'gen_ai.response.finish_reasons': ['stop'],
  'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Grüße 👋' }] }]),
  'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Hallo' }] }]),
}

async function exportWith(exporter: SpanExporter): Promise<void> {
  const resource = resourceFromAttributes({ 'service.name': 'agent' })
  const provider = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] })
  const span = provider.getTracer('test').startSpan('chat gpt-4o', { kind: 2, attributes })
  span.addEvent('note', { text: 'x' })
  span.end()
  await provider.shutdown()
}

const exporters = [
  ['protobuf', ProtobufExporter, 'none'],
  ['protobuf, compressed', ProtobufExporter, 'gzip'],
  ['JSON', JsonExporter, 'none'],
  ['JSON, compressed', JsonExporter, 'gzip'],
] as const

it.each(exporters)('reads exports of the official exporter: %s', async (_what, Exporter, compression) => {
  const service = await serve()
  const url = `${service.origin}/v1/traces`
  await exportWith(new Exporter({ url, headers: service.signed(), compression: compression as never }))
  const [span, ...others] = service.spans
  expect(others).toEqual([])
  if (span === undefined) throw new Error('nothing arrived')
  expect(span).toMatchObject({ name: 'chat gpt-4o', kind: 'client', status: 'unset', events: [{ name: 'note' }] })
  expect(Object.fromEntries(span.attributes)).toEqual(attributes)
  expect(span.startMs).toBeGreaterThan(Date.now() - 60_000)
  expect(readExchange(span)).toMatchObject({
    tag: 'agent',
    promptTokens: 97,
    finishReason: 'stop',
    params: { temperature: 0.25 },
    messages: [{ role: 'user', content: 'Grüße 👋' }],
    response: { role: 'assistant', content: 'Hallo' },
  })
})

it('answers in the encoding of the request, under both paths', async () => {
  const service = await serve()
  for (const path of ['/v1/traces', '/v1/otel/v1/traces']) {
    const json = await post(service, JSON.stringify(otlpRequest([{}])), {}, path)
    expect(json.status).toBe(200)
    expect(json.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await json.json()).toEqual({})
    const protobuf = await post(service, '', { 'content-type': 'application/x-protobuf' }, path)
    expect([protobuf.status, protobuf.headers.get('content-type')]).toEqual([200, 'application/x-protobuf'])
    expect(await protobuf.arrayBuffer()).toHaveProperty('byteLength', 0)
  }
})

it('reports the number of rejected spans', async () => {
  const service = await serve(() => ({ kind: 'stored', rejected: 2, reason: 'too old' }))
  const answer = await post(service, '{}', { 'content-type': 'application/json; charset=utf-8' })
  expect(await answer.json()).toEqual({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } })
  const bytes = await (await post(service, '', { 'content-type': 'application/x-protobuf' })).arrayBuffer()
  expect(Buffer.from(bytes).toString('latin1')).toBe('\u000a\u000b\u0008\u0002\u0012\u0007too old')
})

const gzip = { 'content-encoding': 'gzip' }
const protobufType = { 'content-type': 'application/x-protobuf' }

it.each<[string, number, string | Buffer, Record<string, string>]>([
  ['invalid JSON', 400, '{', {}],
  ['invalid protobuf', 400, 'hello', protobufType],
  ['invalid gzip', 400, 'hello', gzip],
  ['gzip that is cut off', 400, gzipSync('{"resourceSpans":[]}').subarray(0, 15), gzip],
  ['another coding', 415, '{}', { 'content-encoding': 'zstd' }],
  ['another type', 415, '{}', { 'content-type': 'text/plain' }],
  ['more than 20 MB', 413, Buffer.alloc(20 * 1024 * 1024 + 1), protobufType],
  ['a bomb', 413, gzipSync(Buffer.alloc(200 * 1024 * 1024)), { ...protobufType, ...gzip }],
])('refuses %s with %i', async (_what, status, body, headers) => {
  const service = await serve()
  expect(await post(service, body, headers)).toHaveProperty('status', status)
  expect(service.spans).toEqual([])
})

it.each<[unknown, string | null, string]>([
  [[], null, 'The body must be an object: an ExportTraceServiceRequest.'],
  ['spans', null, 'The body must be an object: an ExportTraceServiceRequest.'],
  [{ resourceLogs: [] }, 'resourceSpans', '`resourceSpans` is required in an ExportTraceServiceRequest.'],
  [{ resourceSpans: {} }, 'resourceSpans', '`resourceSpans` must be an array in an ExportTraceServiceRequest.'],
  [{ resourceSpans: [{}, 7] }, 'resourceSpans.1', expect.stringContaining('must be an object')],
  [{ resourceSpans: [{ resource: [] }] }, 'resourceSpans.0.resource', expect.stringContaining('must be an object')],
  [{ resourceSpans: [{ scopeSpans: {} }] }, 'resourceSpans.0.scopeSpans', expect.stringContaining('must be an array')],
  [
    { resourceSpans: [{ scopeSpans: [null] }] },
    'resourceSpans.0.scopeSpans.0',
    expect.stringContaining('must be an object'),
  ],
  [
    { resourceSpans: [{ scopeSpans: [{ spans: [] }, { spans: 'x' }] }] },
    'resourceSpans.0.scopeSpans.1.spans',
    expect.stringContaining('must be an array'),
  ],
])('names the field because of which %j is not an export', async (body, param, message) => {
  const service = await serve()
  const answer = await post(service, JSON.stringify(body))
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { code: 'invalid_request', param, message } },
  ])
  expect(service.spans).toEqual([])
})

it.each([
  {},
  { resourceSpans: [] },
  { resourceSpans: null },
  { resourceSpans: [{ resource: null, scopeSpans: [{}] }] },
])('accepts %j as an export without spans', async (body) => {
  expect(await post(await serve(), JSON.stringify(body))).toHaveProperty('status', 200)
})

it('refuses bytes that are not protobuf', async () => {
  const answer = await post(await serve(), 'hello', protobufType)
  const message = 'The body is not an ExportTraceServiceRequest in protobuf.'
  expect(await answer.json()).toMatchObject({ error: { code: 'invalid_request', param: null, message } })
})

it('refuses exports while logging is off', async () => {
  const off = await post(await serve(() => ({ kind: 'logging-disabled' })), '{}')
  expect([off.status, await off.json()]).toMatchObject([409, { error: { code: 'logging_disabled' } }])
})

describe.each(['/v1/metrics', '/v1/otel/v1/metrics', '/v1/logs', '/v1/otel/v1/logs'])('a signal at %s', (path) => {
  it.each([
    ['protobuf', Buffer.from([10, 0]), { 'content-type': 'application/x-protobuf' }, ''],
    [
      'compressed protobuf',
      gzipSync('x'),
      { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' },
      '',
    ],
    ['JSON', Buffer.from('{"resourceMetrics":[]}'), { 'content-type': 'application/json' }, '{}'],
  ])('is accepted and dropped in %s', async (_name, body, headers, expected) => {
    const service = await serve()
    const answer = await post(service, body, headers, path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain(headers['content-type'])
    expect(await answer.text()).toBe(expected)
    expect(service.spans).toEqual([])
  })

  it('is refused in another encoding', async () => {
    expect(await post(await serve(), 'a', { 'content-type': 'text/plain' }, path)).toHaveProperty('status', 415)
  })
})

it('answers that the client should retry when the log cannot be written', async () => {
  const service = await serve(() => Promise.reject(new Error('the database is unavailable')))
  const answer = await post(service, '{}')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
})

const workspaceOf = (n: number) => `${uuid.slice(0, -1)}${n}`

/** Sends exports of several workspaces at once; they are answered when so many were refused. */
async function sendTogether(
  exports: readonly { readonly workspaceId: string; readonly body: Buffer }[],
  expectedRefusals: number,
) {
  const { promise: released, resolve: release } = Promise.withResolvers<TraceOutcome>()
  const service = await serve(() => released)
  let refused = 0
  const send = async ({ workspaceId, body }: (typeof exports)[number]) => {
    const { status } = await post(service, body, { ...protobufType, ...service.signed('/v1/traces', workspaceId) })
    if (status === 503) refused += 1
    if (refused === expectedRefusals) release(stored)
    return { workspaceId, status }
  }
  const answers = await Promise.all(exports.map(send))
  const acceptedOf = (workspaceId: string) =>
    answers.filter((answer) => answer.workspaceId === workspaceId && answer.status === 200).length
  return { acceptedOf, service, refused }
}

it('limits the concurrent exports of a workspace, lets those of another one begin, and the others wait', async () => {
  const [many, other] = [workspaceOf(1), workspaceOf(2)]
  const { promise: released, resolve: release } = Promise.withResolvers<TraceOutcome>()
  const service = await serve(() => released)
  const send = async (workspaceId: string) =>
    (await post(service, '{}', service.signed('/v1/traces', workspaceId))).status
  const ofMany = Array.from({ length: 20 }, () => send(many))
  await eventually(() => expect(service.running.filter((id) => id === many)).toHaveLength(4))
  const ofOther = Array.from({ length: 3 }, () => send(other))
  await eventually(() => expect(service.running.filter((id) => id === other)).toHaveLength(3))
  expect(service.running).toHaveLength(7)
  release(stored)
  expect(await Promise.all([...ofMany, ...ofOther])).toEqual(Array(23).fill(200))
})

it('limits the bytes of concurrent exports, of a workspace and of all', async () => {
  const unknownField = protobuf.Writer.create()
    .uint32(8_002)
    .bytes(Buffer.alloc(15 * 1024 * 1024))
    .finish()
  const body = Buffer.from(unknownField)
  const [many, other, last] = [workspaceOf(1), workspaceOf(2), workspaceOf(3)]
  const exports = [many, many, many, other].map((workspaceId) => ({ workspaceId, body }))
  const { acceptedOf, service } = await sendTogether(exports, 2)
  expect([acceptedOf(many), acceptedOf(other)]).toEqual([1, 1])
  expect((await sendTogether([...exports, { workspaceId: last, body }], 3)).refused).toBe(3)
  expect(await post(service, body, protobufType)).toHaveProperty('status', 200)
})

import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai'
import { context, type Span, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, StackContextManager, TracerProvider } from '@opentelemetry/sdk-trace'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { storedExchanges } from '@ratchet/testing/stored-exchanges'
import OpenAI from 'openai'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let pool: Pool
let workspace: DemoWorkspace
const contexts = new StackContextManager()

beforeAll(async () => {
  context.setGlobalContextManager(contexts.enable())
  fleet = await shareFleet()
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
}, 300_000)

afterAll(async () => {
  context.disable()
  await pool?.end()
}, 180_000)

beforeEach(async () => {
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
})

const protobuf = { what: 'protobuf, compressed', Exporter: ProtobufExporter, compression: 'gzip', path: '/v1/traces' }
const json = { what: 'JSON', Exporter: JsonExporter, compression: 'none', path: '/v1/otel/v1/traces' }

function exporterFor({ Exporter, compression, path }: typeof protobuf | typeof json): SpanExporter {
  const headers = { authorization: `Bearer ${workspace.apiKey}` }
  return new Exporter({ url: fleet.url + path, headers, compression: compression as never })
}

/** Runs an agent with an instrumented OpenAI client, and exports its spans. */
async function trackedRun(exporter: SpanExporter, work: (run: Span) => Promise<unknown>): Promise<string> {
  const resource = resourceFromAttributes({ 'service.name': 'weather-agent' })
  const provider = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] })
  const instrumentation = new OpenAIInstrumentation({ tracerProvider: provider as never })
  instrumentation.manuallyInstrument(OpenAI as never)
  const run = provider.getTracer('agent').startSpan('run', { attributes: { 'openinference.span.kind': 'AGENT' } })
  try {
    await context.with(trace.setSpan(context.active(), run), () => work(run))
  } finally {
    run.end()
    await provider.shutdown()
    instrumentation.disable()
  }
  return run.spanContext().traceId
}

const system = { role: 'system', content: 'You answer questions about the sky.' } as const
const prompt = { role: 'user', content: 'Why is it blue?' } as const
const chat = (client: OpenAI, model: string) => client.chat.completions.create({ model, messages: [system, prompt] })

async function rowsOf(traceId: string) {
  return storedExchanges<Row<'exchange'>>(pool, 'e.workspace_id = $1 AND e.trace_id = $2', [
    workspace.workspaceId,
    traceId,
  ])
}

async function spansOf(traceId: string) {
  const { rows } = await pool.query('SELECT * FROM span WHERE workspace_id = $1 AND trace_id = $2', [
    workspace.workspaceId,
    traceId,
  ])
  return rows
}

async function postTraces(body: string, apiKey = workspace.apiKey): Promise<Response> {
  return fetch(`${fleet.url}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body,
  })
}

it.each([protobuf, json])(
  'logs model calls of an instrumented client at another provider ($what)',
  async (exporter) => {
    const elsewhere = new OpenAI({ baseURL: `${fleet.provider.baseUrl}/v1`, apiKey: 'theirs' })
    let answer = ''
    const traceId = await trackedRun(exporterFor(exporter), async () => {
      answer = (await chat(elsewhere, 'sim/small')).choices[0]?.message.content ?? ''
    })
    const [row, ...others] = await rowsOf(traceId)
    expect(others).toEqual([])
    expect(row).toMatchObject({ source: 'otlp', tag: 'weather-agent', cost_nano: null, finish_reason: 'stop' })
    expect(JSON.parse(row?.messages ?? '')).toEqual([system, prompt])
    expect(JSON.parse(row?.response ?? '')).toEqual({ role: 'assistant', content: answer })
    const [run, ...otherSpans] = await spansOf(traceId)
    expect(otherSpans).toEqual([])
    expect(run).toMatchObject({ name: 'run', kind: 'agent', span_id: row?.parent_span_id })
  },
)

it('shows a traced run like one through the gateway', async () => {
  const elsewhere = new OpenAI({ baseURL: `${fleet.provider.baseUrl}/v1`, apiKey: 'theirs' })
  const traceId = await trackedRun(exporterFor(protobuf), () => chat(elsewhere, 'sim/small'))
  const headers = { authorization: `Bearer ${workspace.apiKey}` }
  const answer = await fetch(`${fleet.url}/v1/traces/${traceId}`, { headers })
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    {
      steps: 1,
      tags: ['weather-agent'],
      data: [{ source: 'otlp', cost_usd: null, trace_id: traceId, messages: [system, prompt] }],
      spans: [{ name: 'run', kind: 'agent' }],
    },
  ])
})

it.each([
  { exporter: protobuf, ...protobuf, header: 'X-Svc-Trace-Id' },
  { exporter: json, ...json, header: 'X-Svc-Trace-Id' },
  { exporter: protobuf, ...protobuf, header: 'traceparent' },
])('stores a gateway request and its duplicate span as one row ($what, $header)', async ({ exporter, header }) => {
  const client = new OpenAI({ baseURL: `${fleet.url}/v1`, apiKey: workspace.apiKey })
  const traceId = await trackedRun(exporterFor(exporter), (run) => {
    const { traceId: trace, spanId } = run.spanContext()
    const headers = { [header]: header === 'traceparent' ? `00-${trace}-${spanId}-01` : trace }
    const body = { model: 'sim/small', messages: [system, prompt] }
    return client.chat.completions.create(body, { headers })
  })
  await eventually(async () => {
    const rows = await rowsOf(traceId)
    expect(rows).toMatchObject([{ source: 'gateway', span_id: expect.stringMatching(/^[\da-f]{16}$/) }])
    const [run] = await spansOf(traceId)
    expect(rows[0]?.parent_span_id).toBe(run?.span_id)
    expect(rows[0]?.cost_nano).not.toBeNull()
  })
})

it.each(['', '/v1/otel'])(
  'accepts spans of an exporter that is configured only by its environment (%j)',
  async (base) => {
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: fleet.url + base,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${workspace.apiKey}`,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    }
    Object.assign(process.env, settings)
    const exporter = new ProtobufExporter()
    for (const name of Object.keys(settings)) delete process.env[name]
    const traceId = await trackedRun(exporter, async () => undefined)
    expect(await spansOf(traceId)).toHaveLength(1)
  },
)

it('charges nothing for spans', async () => {
  const before = await balance()
  const elsewhere = new OpenAI({ baseURL: `${fleet.provider.baseUrl}/v1`, apiKey: 'theirs' })
  const traceId = await trackedRun(exporterFor(protobuf), () => chat(elsewhere, 'sim/small'))
  expect(await rowsOf(traceId)).toHaveLength(1)
  expect(await balance()).toBe(before)
})

async function balance(): Promise<string> {
  const { rows } = await pool.query('SELECT * FROM wallet WHERE workspace_id = $1', [workspace.workspaceId])
  return JSON.stringify(rows)
}

it('refuses invalid requests with statuses that exporters do not retry', async () => {
  const silent = await workspaceWith(fleet, { loggingEnabled: false })
  const answers = [
    await postTraces('{}', silent.apiKey),
    await postTraces('{}', 'sk_svc_unknown'),
    await postTraces('{"resourceSpans":7}'),
    await postTraces('{'),
    await postTraces(`{"padding":"${'x'.repeat(20 * 1024 * 1024)}"}`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([409, 401, 400, 400, 413])
  expect(await answers[0]?.json()).toMatchObject({ error: { code: 'logging_disabled' } })
  const rejected = await postTraces('{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"ab"}]}]}]}')
  expect([rejected.status, await rejected.json()]).toMatchObject([200, { partialSuccess: { rejectedSpans: '1' } }])
})

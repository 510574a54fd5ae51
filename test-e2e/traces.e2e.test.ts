import { randomBytes } from 'node:crypto'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type OtlpCapture, startOtlpCapture } from '@ratchet/testing/otlp-capture'
import type { CapturedSpan } from '@ratchet/testing/otlp-spans'
import { type ChatCall, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, sendTraffic } from './judged-traffic.ts'
import { workspaceWith } from './workspace-with.ts'

let collector: OtlpCapture
let fleet: Fleet
let workspace: DemoWorkspace
let api: Api

beforeAll(async () => {
  collector = await startOtlpCapture()
  const telemetry = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '1',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  }
  fleet = await startFleet({ judges: true, aliases: true, env: { ...telemetry, ...soon } })
  workspace = await workspaceWith(fleet, { loggingEnabled: true, responseCache: false })
  api = apiOf(fleet, workspace)
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  await collector?.stop()
}, 180_000)

/** Short waits of the worker before it reads the log. */
const soon = { GATE_EVERY_MS: '300', GATE_INGEST_LAG_MS: '300' }
const secret = `sk-proj-${randomBytes(16).toString('hex')}`

/** Creates a `traceparent` with a new trace id, like a client. */
function newTrace(isSampled = true) {
  const traceId = randomBytes(16).toString('hex')
  const spanId = randomBytes(8).toString('hex')
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}` } }
}

async function ask(call: ChatCall): Promise<string> {
  const response = await postChat(fleet, { apiKey: workspace.apiKey, ...call })
  return response.text()
}

/** Waits for a number of spans of a trace; returns parents before children. */
async function traceOf(traceId: string, count: number): Promise<readonly CapturedSpan[]> {
  return eventually(
    () => {
      const spans = collector.spans().filter((span) => span.traceId === traceId)
      return spans.length >= count ? spans.toSorted(byDepth(spans)) : null
    },
    { withinMs: 45_000, everyMs: 50 },
  )
}

/** Waits until a trace has all of these spans, because processes export at different times. */
async function traceWith(traceId: string, shapes: readonly string[]): Promise<readonly CapturedSpan[]> {
  return eventually(
    () => {
      const spans = collector.spans().filter((span) => span.traceId === traceId)
      expect(spans.map(shapeOf)).toEqual(expect.arrayContaining([...shapes]))
      return spans
    },
    { withinMs: 45_000, everyMs: 50 },
  )
}

function byDepth(spans: readonly CapturedSpan[]) {
  const depthOf = (span: CapturedSpan): number => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
    return parent === undefined ? 0 : 1 + depthOf(parent)
  }
  return (a: CapturedSpan, b: CapturedSpan) => depthOf(a) - depthOf(b)
}

const shapeOf = ({ service, kind, name }: CapturedSpan) => `${service} ${kind} ${name}`

it('follows a request from the edge through inference to the provider', async () => {
  const { traceId, spanId, headers } = newTrace()
  await ask({ model: 'sim/echo', content: `Remember ${secret}.`, headers })

  const [edge, inference, provider, ...others] = await traceOf(traceId, 3)

  expect([edge, inference, provider].map((span) => span && shapeOf(span))).toEqual([
    'ratchet-edge server POST /v1/chat/completions',
    'ratchet-inference server POST /v1/chat/completions',
    'ratchet-inference client chat sim/echo',
  ])
  expect(others).toEqual([])
  expect([edge?.parentSpanId, inference?.parentSpanId, provider?.parentSpanId]).toEqual([
    spanId,
    edge?.spanId,
    inference?.spanId,
  ])
  expect(inference?.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 200 })
  expect(provider?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'sim',
    'gen_ai.request.model': 'sim/echo',
    'gen_ai.response.model': 'sim/echo',
    'gen_ai.request.stream': false,
    'gen_ai.response.finish_reasons': ['stop'],
    'server.address': '127.0.0.1',
  })
  expect(provider?.attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(0)
  expect(provider?.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0)
  expect(provider?.hasFailed).toBe(false)
})

it('records the time to the first chunk of a stream, and its usage', async () => {
  const { traceId, headers } = newTrace()
  await ask({ model: 'sim/echo', stream: true, headers })

  const provider = (await traceOf(traceId, 3)).at(-1)

  expect(provider?.attributes).toMatchObject({
    'gen_ai.request.stream': true,
    'gen_ai.response.finish_reasons': ['stop'],
  })
  expect(provider?.attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThan(0)
  expect(provider?.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0)
})

it('has a span for every attempt, with failures marked, and the model that answered', async () => {
  const { traceId, headers } = newTrace()
  await ask({ model: 'sim/fail-500', body: { models: ['sim/fail-500', 'sim/echo'] }, headers })

  const spans = await traceOf(traceId, 6)

  const tries = spans.filter(({ kind }) => kind === 'client')
  const reportedOf = ({ name, hasFailed, attributes }: CapturedSpan) => {
    return [name, attributes['gen_ai.request.model'], hasFailed, attributes['error.type']]
  }
  // For a family the span has only the provider's name, because clients can invent model names.
  expect(tries.map(reportedOf)).toEqual([
    ['chat sim', 'sim/fail-500', true, 'unavailable'],
    ['chat sim', 'sim/fail-500', true, 'unavailable'],
    ['chat sim', 'sim/fail-500', true, 'unavailable'],
    ['chat sim/echo', 'sim/echo', false, undefined],
  ])
  expect(spans.filter(({ kind, hasFailed }) => kind === 'server' && hasFailed)).toEqual([])
})

it('marks all spans of a request without an answer as failed', async () => {
  const { traceId, headers } = newTrace()
  await ask({ model: 'sim/fail-500', headers })

  const spans = await traceOf(traceId, 5)
  expect(spans.map(({ hasFailed }) => hasFailed)).toEqual(spans.map(() => true))
})

it('follows a judgement from the worker through inference to the judge, with a link to its request', async () => {
  const logged = await sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: 3 })
  const judge = { name: 'Sound', judge_prompt: 'The answer contains a mistake.', judge_model: 'sim/judge-1-1' }
  const { json: criterion } = await api('POST', '/criteria', judge)
  const { headers, traceId } = newTrace()
  const response = await fetch(`${fleet.url}/v1/criteria/${criterion.id}/scan`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ sample_count: logged.length }),
  })
  expect(response.status).toBe(202)

  const jobs = await eventually(
    () => {
      const found = collector.spans().filter(({ name }) => name === 'process judge')
      return found.length >= logged.length ? found : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
  const run = await eventually(
    () => collector.spans().find(({ linkedTraceIds }) => linkedTraceIds.includes(traceId)) ?? null,
    { withinMs: 45_000 },
  )
  expect(shapeOf(run)).toBe('ratchet-judging-worker consumer process judge-run')
  await eventually(() =>
    collector.spans().some(({ name, linkedTraceIds: to }) => name === 'process judge' && to.includes(run.traceId)),
  )
  const spans = await traceWith(jobs[0]?.traceId ?? '', [
    'ratchet-judging-worker consumer process judge',
    'ratchet-judging-worker client POST /v1/chat/completions',
    'ratchet-inference server POST /v1/chat/completions',
    'ratchet-inference client chat sim',
  ])
  expect(spans.filter(({ parentSpanId }) => parentSpanId === null).map(({ name }) => name)).toEqual(['process judge'])
}, 180_000)

it('follows a shadow request from the worker to the shadow model', async () => {
  const alias = { name: 'support', target_model: 'sim/echo', shadow_model: 'sim/small', shadow_percent: 100 }
  const { status, text } = await api('PUT', '/aliases', alias)
  expect([status, text]).toEqual([200, expect.anything()])
  const shadow = await eventually(
    async () => {
      await ask({ model: 'support' })
      return collector.spans().find(({ name }) => name === 'chat sim/small') ?? null
    },
    { withinMs: 45_000, everyMs: 300 },
  )
  await traceWith(shadow.traceId, [
    'ratchet-alias-worker consumer process shadow',
    'ratchet-inference client chat sim/small',
  ])
}, 180_000)

it('records no span of a trace that its caller does not sample', async () => {
  const [unsampled, sampled] = [newTrace(false), newTrace()]
  await ask({ model: 'sim/echo', headers: unsampled.headers })
  await ask({ model: 'sim/echo', headers: sampled.headers })

  await traceOf(sampled.traceId, 3)
  expect(collector.spans().filter(({ traceId }) => traceId === unsampled.traceId)).toEqual([])
})

it('exports no prompts, answers or keys, and sends providers no trace headers', async () => {
  const { traceId, headers } = newTrace()
  const { requests } = await fleet.provider.report({ model: 'sim/echo' })
  const answered = await ask({ model: 'sim/echo', content: `Say ${secret}`, headers })
  expect(answered).toContain(secret)
  await traceOf(traceId, 3)

  const exported = collector.text()
  for (const text of [secret, workspace.apiKey, 'Why is the sky blue?', 'contains a mistake']) {
    expect([text, exported.includes(text)]).toEqual([text, false])
  }
  expect(requests.length).toBeGreaterThan(0)
  const reported = requests.flatMap((request) => Object.keys(request.headers))
  expect(reported.filter((name) => name === 'traceparent' || name === 'tracestate')).toEqual([])
})

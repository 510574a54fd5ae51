import { eventually } from '@ratchet/testing/eventually'
import type { Api, Json } from './judged-traffic.ts'

/** Spans of tools, sent in parts of 500. */
const toolSpans = 1_932

/** 67 model calls of 40 KB below an agent, and its spans of tools: 2,000 in all. */
export async function sendLongRun(api: Api, traceId: string): Promise<void> {
  const startMs = Date.now() - 3_600_000
  const root = '00000000000000a1'
  const call = (index: number): Json => ({
    model: 'acme/agent',
    trace_id: traceId,
    span_id: `c${index}`.padStart(16, '0'),
    parent_span_id: root,
    created_at: new Date(startMs + index * 1_000).toISOString(),
    latency_ms: 900,
    finish_reason: 'stop',
    messages: [{ role: 'user', content: `Content of step ${index}. ${'word '.repeat(8_000)}` }],
    response: { role: 'assistant', content: `Done with ${index}.` },
  })
  const logs = Array.from({ length: 67 }, (_, index) => call(index))
  expect((await api('POST', '/logs/import', { logs })).json).toMatchObject({ imported: 67 })
  const span = (id: string, parentSpanId: string, fromMs: number, untilMs: number) => ({
    traceId,
    spanId: id,
    parentSpanId,
    name: id === root ? 'agent' : `tool ${Number.parseInt(id, 16)}`,
    startTimeUnixNano: `${startMs + fromMs}000000`,
    endTimeUnixNano: `${startMs + untilMs}000000`,
    status: { code: 1 },
    attributes: [],
  })
  const tools = Array.from({ length: toolSpans }, (_, index) =>
    span((index + 4_096).toString(16).padStart(16, '0'), root, index * 30, index * 30 + 25),
  )
  const spans = [span(root, '', 0, 70_000), ...tools]
  for (let from = 0; from < spans.length; from += 500) {
    const some = { spans: spans.slice(from, from + 500) }
    expect((await api('POST', '/otel/v1/traces', { resourceSpans: [{ scopeSpans: [some] }] })).status).toBe(200)
  }
  await eventually(async () => {
    const { json } = await api('GET', `/traces/${traceId}?content=none`)
    return json.data?.length === 67 && json.spans.length === toolSpans + 1
  })
}

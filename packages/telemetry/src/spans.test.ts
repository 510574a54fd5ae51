import { context, type Link, propagation, type SpanContext, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { TracerProvider } from '@opentelemetry/sdk-trace'
import { endSpan, startServerSpan, traceHeaders, traceWork } from './spans.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

// Other files run in the same process.
afterAll(() => {
  for (const api of [propagation, trace, context]) api.disable()
})

it('costs nothing and exports nothing while tracing is off', () => {
  const span = startServerSpan('GET /v1/models', { traceparent }, {})

  expect(span.isRecording()).toBe(false)
  expect(traceHeaders(span)).toEqual({})
  endSpan(span, 500)
})

it("continues the caller's trace and passes it on under a span of its own", () => {
  // register.ts does this once per process.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(new TracerProvider({}))

  const server = startServerSpan('GET /v1/models', { traceparent }, {})

  const { traceparent: passedOn = '' } = traceHeaders(server)
  const [, traceId, spanId] = passedOn.split('-')
  expect(traceId).toBe('0af7651916cd43dd8448eb211c80319c')
  expect(spanId).toBe(server.spanContext().spanId)
  expect(spanId).not.toBe('b7ad6b7169203331')
})

it('links work to its cause, also when the cause becomes known during the work', async () => {
  const cause = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 }
  const links = async (...answers: readonly (SpanContext | undefined)[]) => {
    const left = [...answers]
    const span = await traceWork(
      'work',
      {},
      async () => trace.getActiveSpan(),
      () => left.shift(),
    )
    return (span as unknown as { readonly links: readonly Link[] }).links.map(({ context }) => context)
  }
  // The context manager is set by register.ts, too.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())

  expect(await links(cause)).toEqual([cause])
  expect(await links(undefined, cause)).toEqual([cause])
  expect(await links(undefined, undefined)).toEqual([])
})

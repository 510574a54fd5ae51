import fc from 'fast-check'
import { toLoggedSpan } from './logged-span.ts'
import { keyValues, otlpRequest, spanId, spansIn, startMs, traceId } from './otlp-request.fixture.ts'
import { readExchange } from './span-exchange.ts'

const valid = {
  traceId,
  spanId,
  startTimeUnixNano: '1795262400000000000',
  endTimeUnixNano: '1795262401000000000',
}
const request = (...spans: unknown[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] })

it('reads times to the microsecond and ids in lower case', () => {
  const upper = { ...valid, traceId: traceId.toUpperCase(), endTimeUnixNano: '1795262401000250000' }
  expect(spansIn(request(upper))?.spans).toMatchObject([
    { traceId, spanId, parentSpanId: null, startMs: 1_795_262_400_000, endMs: 1_795_262_401_000.25 },
  ])
})

it.each([
  ['no object', 7],
  ['no ids', { ...valid, traceId: undefined }],
  ['a trace id of nothing but zeros', { ...valid, traceId: '0'.repeat(32) }],
  ['a trace id of another length', { ...valid, traceId: 'ab' }],
  ['a trace id that is no hex', { ...valid, traceId: 'x'.repeat(32) }],
  ['a span id in Base64', { ...valid, spanId: 'AFBnqAu6Arc=' }],
  ['no start', { ...valid, startTimeUnixNano: 0 }],
  ['a start that is no number', { ...valid, startTimeUnixNano: '1e18' }],
  ['an end before its start', { ...valid, endTimeUnixNano: '1' }],
  ['a time after the year 9999', { ...valid, endTimeUnixNano: '18446744073709551615000' }],
])('rejects a span with %s, and only it', (_what, span) => {
  const read = spansIn(request(span, valid))
  expect(read?.problems).toEqual([expect.stringContaining('a span')])
  expect(read?.spans).toHaveLength(1)
})

it('returns null for values that are not an export', () => {
  for (const value of [null, 7, 'x', [], { resourceSpans: 7 }]) expect(spansIn(value)).toBeNull()
  expect(spansIn({})).toEqual({ spans: [], problems: [] })
})

it('reads every kind of value', () => {
  const attributes = { text: 'a', yes: true, whole: 7, half: 0.5, list: ['a', 1], object: { a: { b: [] } }, none: null }
  const [span] = spansIn(otlpRequest([{ attributes }]))?.spans ?? []
  expect(Object.fromEntries(span?.attributes ?? [])).toEqual(attributes)
})

it('keeps numbers that JSON cannot represent as digits', () => {
  const attributes = [{ key: 'n', value: { intValue: '9223372036854775807' } }]
  const [span] = spansIn(request({ ...valid, attributes }))?.spans ?? []
  expect(span?.attributes.get('n')).toBe('9223372036854775807')
})

it('treats `__proto__` and the like as ordinary keys', () => {
  const attributes = keyValues(JSON.parse('{"__proto__":{"polluted":true},"constructor":"c"}'))
  const [span] = spansIn(request({ ...valid, attributes }))?.spans ?? []
  if (span === undefined) throw new Error('no span')
  expect(JSON.stringify(toLoggedSpan(span).attributes)).toBe('{"__proto__":{"polluted":true},"constructor":"c"}')
  expect(Object.prototype).not.toHaveProperty('polluted')
})

it('cuts values that are nested too deep', () => {
  let value: object = { stringValue: 'deep' }
  for (let i = 0; i < 5_000; i += 1) value = { arrayValue: { values: [value] } }
  const [span] = spansIn(request({ ...valid, attributes: [{ key: 'a', value }] }))?.spans ?? []
  expect(JSON.stringify([...(span?.attributes ?? [])])).not.toContain('deep')
})

it('never throws, whatever JSON it reads', () => {
  const json = fc.jsonValue({ maxDepth: 6 })
  fc.assert(
    fc.property(json, json, json, json, (anything, spans, attributes, events) => {
      spansIn(anything)
      for (const each of [spans, [{ ...valid, attributes, events }], [{ ...valid, ...Object(attributes) }]]) {
        readAll(request(...[each].flat()))
      }
    }),
  )
})

const names = [
  'gen_ai.operation.name',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.definitions',
  'gen_ai.response.finish_reasons',
  'gen_ai.response.id',
  'gen_ai.usage.input_tokens',
  'gen_ai.request.stop_sequences',
  'gen_ai.prompt.0.content',
  'gen_ai.prompt.0.tool_calls',
  'gen_ai.completion.0.tool_calls.0.arguments',
  'llm.input_messages.0.message.contents.0.message_content.text',
  'llm.output_messages.0.message.tool_calls.0.tool_call.function',
  'llm.tools.0.tool.json_schema',
  'llm.invocation_parameters',
  'input.value',
  'output.value',
  'content',
  'message',
  'tool_calls',
  'body',
  'svc.tag',
]

it('accepts any value under known attribute names', () => {
  const part = fc.record(
    {
      type: fc.constantFrom('text', 'blob', 'uri', 'tool_call', 'tool_call_response', 'reasoning', '__proto__'),
      role: fc.jsonValue(),
      parts: fc.jsonValue(),
      content: fc.jsonValue(),
      id: fc.jsonValue(),
      arguments: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const value = fc.oneof(
    fc.jsonValue(),
    fc.json(),
    fc.array(part),
    fc.array(fc.record({ role: fc.string(), parts: fc.array(part) })),
    fc.array(part).map((parts) => JSON.stringify(parts)),
  )
  const attributes = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 8 })
  const events = fc.array(
    fc.record({
      name: fc.constantFrom('gen_ai.user.message', 'gen_ai.choice', 'gen_ai.content.prompt', '__proto__'),
      attributes,
    }),
  )
  fc.assert(fc.property(attributes, events, (a, e) => readAll(otlpRequest([{ attributes: a, events: e }]))))
})

it('accepts very deeply nested JSON within a value', () => {
  const deep = '['.repeat(50_000) + ']'.repeat(50_000)
  readAll(otlpRequest([{ attributes: Object.fromEntries(names.map((name) => [name, deep])) }]))
})

function readAll(export_: object): void {
  for (const span of spansIn(export_)?.spans ?? []) {
    expect(JSON.stringify([readExchange(span), toLoggedSpan(span)])).toContain(span.traceId)
  }
}

it('has a fixture that is a span of one and a half seconds', () => {
  expect(spansIn(otlpRequest([{}]))?.spans).toMatchObject([{ startMs, endMs: startMs + 1_500 }])
})

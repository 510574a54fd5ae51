import { toLoggedSpan } from './logged-span.ts'
import { otlpRequest, type SpanSpec, spanId, spansIn, startMs, traceId } from './otlp-request.fixture.ts'
import type { OtlpSpan } from './read-spans.ts'
import { isExchange, readExchange, type SpanExchange } from './span-exchange.ts'

function span(spec: SpanSpec, resource: Record<string, unknown> = {}): OtlpSpan {
  const [read] = spansIn(otlpRequest([spec], resource))?.spans ?? []
  if (read === undefined) throw new Error('the fixture is no span')
  return read
}

const exchange = (spec: SpanSpec, resource: Record<string, unknown> = {}): SpanExchange =>
  readExchange(span(spec, resource))

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a place',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
}
const conversation = [
  { role: 'system', content: 'You are brief.' },
  { role: 'user', content: 'Weather in Oslo?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
  },
  { role: 'tool', content: '{"celsius":4}', tool_call_id: 'call_1' },
]
const reported = { messages: conversation, response: { role: 'assistant', content: 'Four degrees.' } }

const genAi = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.response.model': 'gpt-4o-2024-08-06',
  'gen_ai.response.id': 'chatcmpl-9J3uIL87gldCFtiIbyaOvTeYBRA3l',
  'gen_ai.response.finish_reasons': ['stop'],
  'gen_ai.usage.input_tokens': 97,
  'gen_ai.usage.output_tokens': 52,
  'gen_ai.request.temperature': 0.5,
  'gen_ai.request.max_tokens': 200,
  'gen_ai.conversation.id': 'conv_5j66UpCpwteGg4YSxUnt7lPY',
}
const genAiContent = {
  'gen_ai.system_instructions': [{ type: 'text', content: 'You are brief.' }],
  'gen_ai.input.messages': [
    { role: 'user', parts: [{ type: 'text', content: 'Weather in Oslo?' }] },
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } }],
    },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: { celsius: 4 } }] },
  ],
  'gen_ai.output.messages': [
    { role: 'assistant', parts: [{ type: 'text', content: 'Four degrees.' }], finish_reason: 'stop' },
  ],
  'gen_ai.tool.definitions': [{ ...weather.function, type: 'function' }],
}
const asJson = (record: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, JSON.stringify(value)]))

it('reads an exchange from a span of the GenAI conventions', () => {
  const read = exchange(
    { attributes: { ...genAi, ...asJson(genAiContent) }, parentSpanId: '00f067aa0ba902b7' },
    { 'service.name': 'weather-agent' },
  )
  expect(read).toEqual({
    ...reported,
    traceId,
    spanId,
    parentSpanId: '00f067aa0ba902b7',
    startedAt: new Date(startMs),
    latencyMs: 1_500,
    ttftMs: null,
    requestedModel: 'gpt-4o',
    servedModel: 'gpt-4o-2024-08-06',
    provider: 'openai',
    tag: 'weather-agent',
    conversationId: 'conv_5j66UpCpwteGg4YSxUnt7lPY',
    finishReason: 'stop',
    stream: false,
    promptTokens: 97,
    completionTokens: 52,
    reasoningTokens: null,
    gatewayRequestId: null,
    tools: [weather],
    responseFormat: null,
    params: { temperature: 0.5, max_tokens: 200 },
  })
})

it('reads the same messages from structures, from JSON and from the event with the details', () => {
  const structured = exchange({ attributes: { ...genAi, ...genAiContent } })
  const details = { name: 'gen_ai.client.inference.operation.details', attributes: asJson(genAiContent) }
  expect(structured).toMatchObject(reported)
  expect(exchange({ attributes: { ...genAi, ...asJson(genAiContent) } })).toEqual(structured)
  expect(exchange({ attributes: genAi, events: [details] })).toEqual(structured)
})

it('reads numbers in the arguments of tools as they were written', () => {
  const numbers = '{"id":12345678901234567890,"share":1.10}'
  const call = { type: 'tool_call', id: 'call_1', name: 'find', arguments: 'NUMBERS' }
  const said = JSON.stringify([{ role: 'assistant', parts: [call] }]).replace('"NUMBERS"', numbers)
  const usage = { 'gen_ai.usage.input_tokens': 5, 'llm.invocation_parameters': '{"temperature":0.10}' }
  expect(exchange({ attributes: { ...genAi, ...usage, 'gen_ai.output.messages': said } })).toMatchObject({
    response: { tool_calls: [{ function: { arguments: numbers } }] },
    promptTokens: 5,
    params: { temperature: 0.5 },
  })
})

it('reads parts that are not text', () => {
  const parts = [
    { type: 'text', content: 'What is this?' },
    { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'iVBORw0=' },
    { type: 'uri', modality: 'image', uri: 'https://example.com/a.png' },
  ]
  const output = [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'a cat' },
        { type: 'text', content: 'A cat.' },
      ],
    },
  ]
  const attributes = { ...genAi, 'gen_ai.input.messages': [{ role: 'user', parts }], 'gen_ai.output.messages': output }
  expect(exchange({ attributes })).toMatchObject({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0=' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        ],
      },
    ],
    response: { role: 'assistant', content: 'A cat.', reasoning_content: 'a cat' },
  })
})

it('reads one event for each message', () => {
  const calls = [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }]
  const events = [
    { name: 'gen_ai.system.message', attributes: { content: 'You are brief.' } },
    { name: 'gen_ai.user.message', attributes: { content: 'Weather in Oslo?' } },
    { name: 'gen_ai.assistant.message', attributes: { tool_calls: JSON.stringify(calls) } },
    { name: 'gen_ai.tool.message', attributes: { content: '{"celsius":4}', id: 'call_1' } },
    { name: 'gen_ai.choice', attributes: { index: 0, finish_reason: 'stop', message: '{"content":"Four degrees."}' } },
  ]
  const { 'gen_ai.response.finish_reasons': _, ...attributes } = genAi
  expect(exchange({ attributes, events })).toMatchObject({ ...reported, finishReason: 'stop' })
})

it('reads one event for the prompt and one for the completion', () => {
  const events = [
    { name: 'gen_ai.content.prompt', attributes: { 'gen_ai.prompt': JSON.stringify(conversation) } },
    { name: 'gen_ai.content.completion', attributes: { 'gen_ai.completion': JSON.stringify([reported.response]) } },
  ]
  expect(exchange({ attributes: genAi, events })).toMatchObject(reported)
})

const openInference = {
  'openinference.span.kind': 'LLM',
  'llm.model_name': 'gpt-4o',
  'llm.system': 'openai',
  'llm.invocation_parameters': JSON.stringify({ model: 'gpt-4o', temperature: 0.5, user: 'u', tools: [weather] }),
  'llm.input_messages.0.message.role': 'system',
  'llm.input_messages.0.message.content': 'You are brief.',
  'llm.input_messages.1.message.role': 'user',
  'llm.input_messages.1.message.contents.0.message_content.type': 'text',
  'llm.input_messages.1.message.contents.0.message_content.text': 'Weather in Oslo?',
  'llm.input_messages.2.message.role': 'assistant',
  'llm.input_messages.2.message.tool_calls.0.tool_call.id': 'call_1',
  'llm.input_messages.2.message.tool_calls.0.tool_call.function.name': 'get_weather',
  'llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments': '{"city":"Oslo"}',
  'llm.input_messages.3.message.role': 'tool',
  'llm.input_messages.3.message.content': '{"celsius":4}',
  'llm.input_messages.3.message.tool_call_id': 'call_1',
  'llm.output_messages.0.message.role': 'assistant',
  'llm.output_messages.0.message.content': 'Four degrees.',
  'llm.tools.0.tool.json_schema': JSON.stringify(weather),
  'llm.token_count.prompt': 97,
  'llm.token_count.completion': 52,
  'llm.token_count.completion_details.reasoning': 3,
  'llm.finish_reason': 'stop',
  'session.id': 'session-7',
}

it('reads OpenInference', () => {
  expect(exchange({ attributes: openInference })).toMatchObject({
    ...reported,
    requestedModel: 'gpt-4o',
    servedModel: 'gpt-4o',
    provider: 'openai',
    promptTokens: 97,
    completionTokens: 52,
    reasoningTokens: 3,
    finishReason: 'stop',
    conversationId: 'session-7',
    tools: [weather],
    params: { temperature: 0.5 },
  })
})

it('reads raw input and output when the span has no messages', () => {
  const attributes = {
    'openinference.span.kind': 'LLM',
    'input.value': JSON.stringify({ model: 'gpt-4o', messages: conversation }),
    'output.value': JSON.stringify({ choices: [{ message: reported.response }] }),
  }
  expect(exchange({ attributes })).toMatchObject(reported)
  const plain = { 'openinference.span.kind': 'LLM', 'input.value': 'Hi', 'output.value': 'Hello' }
  expect(exchange({ attributes: plain })).toMatchObject({
    messages: [{ role: 'user', content: 'Hi' }],
    response: { role: 'assistant', content: 'Hello' },
  })
})

it('orders spread messages by their index, not by the order of the attributes', () => {
  const entries = Array.from({ length: 12 }, (_, i): [string, unknown] => [
    `llm.input_messages.${i}.message.content`,
    `message ${i}`,
  ])
  const attributes = { 'openinference.span.kind': 'LLM', ...Object.fromEntries(entries.reverse()) }
  expect(exchange({ attributes }).messages.map(({ content }) => content)).toEqual(
    Array.from({ length: 12 }, (_, i) => `message ${i}`),
  )
})

it('reads the older attributes of OpenLLMetry', () => {
  const attributes = {
    'llm.request.type': 'chat',
    'gen_ai.system': 'OpenAI',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.prompt.0.role': 'system',
    'gen_ai.prompt.0.content': 'You are brief.',
    'gen_ai.prompt.1.role': 'user',
    'gen_ai.prompt.1.content': '[{"type":"text","text":"Weather in Oslo?"}]',
    'gen_ai.prompt.2.role': 'assistant',
    'gen_ai.prompt.2.tool_calls.0.id': 'call_1',
    'gen_ai.prompt.2.tool_calls.0.name': 'get_weather',
    'gen_ai.prompt.2.tool_calls.0.arguments': '{"city":"Oslo"}',
    'gen_ai.prompt.3.role': 'tool',
    'gen_ai.prompt.3.content': '{"celsius":4}',
    'gen_ai.prompt.3.tool_call_id': 'call_1',
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.content': 'Four degrees.',
    'gen_ai.completion.0.finish_reason': 'end_turn',
    'llm.request.functions.0.name': 'get_weather',
    'llm.request.functions.0.description': 'Weather of a place',
    'llm.request.functions.0.parameters': JSON.stringify(weather.function.parameters),
    'gen_ai.usage.prompt_tokens': 97,
    'gen_ai.usage.completion_tokens': 52,
    'llm.is_streaming': true,
  }
  expect(exchange({ attributes })).toMatchObject({
    ...reported,
    finishReason: 'stop',
    promptTokens: 97,
    completionTokens: 52,
    stream: true,
    tools: [weather],
  })
})

it('recognizes only answered model calls as exchanges', () => {
  const is = (attributes: Record<string, unknown>, statusCode = 0) => isExchange(span({ attributes, statusCode }))
  for (const name of ['chat', 'text_completion', 'generate_content']) {
    expect(is({ 'gen_ai.operation.name': name })).toBe(true)
  }
  expect(is({ 'openinference.span.kind': 'LLM' })).toBe(true)
  expect(is({ 'gen_ai.prompt.0.content': 'x' })).toBe(true)
  expect(is({ 'gen_ai.request.model': 'm', 'ai.prompt.messages': '[]' })).toBe(true)
  expect(is({ 'ai.operationId': 'ai.generateText', 'ai.model.id': 'm', 'ai.prompt.messages': '[]' })).toBe(false)
  expect(is({ 'gen_ai.operation.name': 'execute_tool', 'openinference.span.kind': 'LLM' })).toBe(false)
  expect(is({ 'gen_ai.operation.name': 'invoke_agent', ...asJson(genAiContent) })).toBe(false)
  expect(is({ 'openinference.span.kind': 'TOOL' })).toBe(false)
  expect(is({ 'http.request.method': 'GET' })).toBe(false)
  expect(is({ 'gen_ai.operation.name': 'chat' }, 2)).toBe(false)
})

it('prefers the tag of the span, cuts long ones and drops control characters', () => {
  const tag = (attributes: Record<string, unknown>) => exchange({ attributes }, { 'service.name': 'app' }).tag
  expect(tag({})).toBe('app')
  expect(tag({ 'svc.tag': 'checkout' })).toBe('checkout')
  expect(tag({ 'svc.tag': 'a'.repeat(65) })).toBe('a'.repeat(64))
  expect(tag({ 'svc.tag': 'a\u0000b\nc' })).toBe('abc')
  expect(exchange({ attributes: {} }).tag).toBeNull()
})

it('ignores impossible numbers', () => {
  const counts = [-1, 1.5, 2 ** 40, '99999999999', 'many', true, [7]]
  for (const count of counts) {
    expect(exchange({ attributes: { 'gen_ai.usage.input_tokens': count } })).toMatchObject({ promptTokens: 0 })
  }
  expect(exchange({ attributes: { 'gen_ai.usage.input_tokens': '7' } })).toMatchObject({ promptTokens: 7 })
  expect(exchange({ attributes: { 'gen_ai.response.time_to_first_chunk': 0.25 } })).toMatchObject({ ttftMs: 250 })
  expect(exchange({ attributes: { 'gen_ai.response.time_to_first_chunk': 9.5 } })).toMatchObject({ ttftMs: null })
})

it('finds the request id of the gateway in the attributes of the span', () => {
  const id = '01920000-0000-7000-8000-0000000000ab'
  for (const attributes of [
    { 'svc.request_id': id },
    { 'http.response.header.x-request-id': [id] },
    { 'gen_ai.response.id': `chatcmpl-${id.toUpperCase()}` },
  ]) {
    expect(exchange({ attributes })).toMatchObject({ gatewayRequestId: id })
  }
})

it('converts other spans to rows with their kind', () => {
  const attributes = { 'openinference.span.kind': 'TOOL', 'tool.name': 'get_weather', 'input.value': '{}' }
  expect(toLoggedSpan(span({ attributes, name: 'tool get_weather', statusCode: 2 }))).toEqual({
    traceId,
    spanId,
    parentSpanId: null,
    name: 'tool get_weather',
    kind: 'tool',
    startedAt: new Date(startMs),
    endedAt: new Date(startMs + 1_500),
    status: 'error',
    attributes,
  })
  expect(toLoggedSpan(span({ kind: 2 })).kind).toBe('server')
})

describe('the end of a response that OpenInference took apart', () => {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Four degrees.' }] }

  it.each([
    [{ status: 'completed', output: [message] }, 'stop'],
    [
      { status: 'completed', output: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] },
      'tool_calls',
    ],
    [{ status: 'completed', output: [{ type: 'custom_tool_call', call_id: 'c', name: 'f', input: '' }] }, 'tool_calls'],
    [{ status: 'completed', output: [{ type: 'web_search_call', id: 'w' }, message] }, 'stop'],
    [{ status: 'incomplete', output: [message], incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    [{ status: 'incomplete', output: [message], incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
    [{ status: 'failed', output: [message] }, null],
  ])('is read from the raw answer: %j', (answer, finishReason) => {
    const attributes = {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-5',
      'llm.input_messages.1.message.role': 'user',
      'llm.input_messages.1.message.content': 'Weather in Oslo?',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.contents.0.message_content.type': 'text',
      'llm.output_messages.0.message.contents.0.message_content.text': 'Four degrees.',
      'output.value': JSON.stringify({ object: 'response', ...answer }),
    }
    const read = exchange({ attributes })
    expect([read.finishReason, read.response.content]).toEqual([finishReason, 'Four degrees.'])
  })
})

it("reads the usage of OpenAI in Langfuse's observations", () => {
  const usage = {
    prompt_tokens: 14,
    completion_tokens: 44,
    total_tokens: 58,
    prompt_tokens_details: { cached_tokens: 0 },
  }
  const attributes = {
    'langfuse.observation.type': 'generation',
    'langfuse.observation.input': JSON.stringify([{ role: 'user', content: 'Weather in Oslo?' }]),
    'langfuse.observation.output': JSON.stringify({ role: 'assistant', content: 'Four degrees.' }),
    'langfuse.observation.usage_details': JSON.stringify(usage),
  }
  expect(exchange({ attributes })).toMatchObject({ promptTokens: 14, completionTokens: 44 })
})

import { readFileSync } from 'node:fs'
import { keyValues, spansIn } from './otlp-request.fixture.ts'
import { isExchange, isUnreadCall, readExchange } from './span-exchange.ts'

/** The spans that an SDK really sent, for the same two steps of one agent and some other calls. */
function recorded(name: string) {
  const text = readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')
  const spans = spansIn(JSON.parse(text))?.spans ?? []
  expect(spans.filter(isUnreadCall)).toEqual([])
  return spans.filter(isExchange).map(readExchange)
}

const system = { role: 'system', content: 'Be brief.' }
const user = { role: 'user', content: 'Weather in Oslo?' }
const calls = [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }]
const calling = { role: 'assistant', tool_calls: calls }
const result = { role: 'tool', tool_call_id: 'call_1' }
const answer = { role: 'assistant', content: 'Four degrees.' }
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }]
const counted = { promptTokens: 20, completionTokens: 5 }

/** The call of the model that asks for the tool, and the one with its result. */
const steps = [
  { messages: [system, user], response: calling, tools, finishReason: 'tool_calls', ...counted },
  { messages: [system, user, calling, result], response: answer, tools, ...counted },
]

it('reads spans of the Vercel AI SDK', () => {
  const known = { requestedModel: 'gpt-4o', servedModel: 'gpt-4o-2024-08-06', conversationId: 's1', stream: false }
  expect(recorded('ai-sdk')).toMatchObject([
    {
      ...steps[0],
      ...known,
      tag: 'weather',
      params: { temperature: 0.2, max_tokens: 50, user: 'u1', metadata: { plan: 'pro' } },
    },
    { ...steps[1], ...known, finishReason: 'stop' },
    {
      messages: [{ role: 'user', content: 'Hi' }],
      response: answer,
      stream: true,
      ttftMs: expect.any(Number),
      ...counted,
    },
    { messages: [{ role: 'user', content: 'Weather?' }], response: { content: '{"celsius":4}' }, ...counted },
  ])
})

it("reads spans of Langfuse's SDK", () => {
  const known = { conversationId: 's1', ...counted }
  expect(recorded('langfuse')).toMatchObject([
    {
      ...steps[0],
      ...known,
      requestedModel: 'gpt-4o-2024-08-06',
      params: { temperature: 0.2, user: 'u1', metadata: { plan: 'pro' } },
      responseFormat: null,
    },
    { messages: [user], response: answer, ...known },
    { messages: [{ role: 'user', content: 'Hi' }], response: answer, ttftMs: expect.any(Number), ...known },
    { messages: [{ role: 'user', content: 'Hi' }], response: { content: 'Hello.' }, promptTokens: 3 },
  ])
})

it('reads spans of LangSmith, also of an agent of Claude', () => {
  expect(recorded('langsmith')).toMatchObject([
    { ...steps[0], requestedModel: 'gpt-4o', provider: 'openai', conversationId: 's1', params: { temperature: 0.2 } },
    {
      messages: [user],
      response: {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Norway.',
        tool_calls: [{ ...calls[0], id: 'c1' }],
      },
      requestedModel: 'claude-sonnet-4-5',
      provider: 'anthropic',
      finishReason: 'tool_calls',
      ...counted,
    },
  ])
})

it('reads spans of Logfire and Pydantic AI, one for each stream', () => {
  const stop = { finishReason: 'stop', response: answer, ...counted }
  expect(recorded('logfire')).toMatchObject([
    { ...steps[0], params: { temperature: 0.2 } },
    { messages: [{ role: 'user', content: 'Hi' }], ...stop },
    { messages: [system, user], ...stop },
    steps[0],
    { ...steps[1], finishReason: 'stop' },
  ])
})

it('reads spans of agno', () => {
  const [first, second, stream] = recorded('agno')
  expect([first, second]).toMatchObject(steps)
  expect(stream).toMatchObject({ messages: [system, { content: 'Hi' }, calling, result], response: answer })
})

it('reads spans of LlamaIndex, only of calls', () => {
  const known = { requestedModel: 'gpt-4o', provider: 'openai', ...counted }
  const stop = { response: answer, finishReason: 'stop', ...known }
  expect(recorded('llama-index')).toMatchObject([
    { messages: [system, user], ...stop },
    { messages: [system, user], ...stop },
    { messages: [{ role: 'user', content: 'Hi' }], ...stop },
    { ...steps[0], ...known },
  ])
})

describe('a span as SDKs write it that cannot be recorded here', () => {
  const base = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' }
  const read = (attributes: Record<string, unknown>, events: readonly object[] = []) => {
    const span = {
      traceId: '1'.repeat(32),
      spanId: '1'.repeat(16),
      name: 'chat',
      attributes: keyValues(attributes),
      events,
    }
    const time = { startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000001000000000' }
    const [one] = spansIn({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, ...time }] }] }] })?.spans ?? []
    return one !== undefined && isExchange(one) ? readExchange(one) : null
  }
  const part = (content: string) => ({ type: 'text', content })

  it('is read for Koog: calls as messages of tools, and the system prompt twice', () => {
    const call = { type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } }
    const messages = [
      { role: 'System', parts: [part('Be brief.')] },
      { role: 'User', parts: [part('Weather in Oslo?')] },
      { role: 'Tool', parts: [call] },
      { role: 'Tool', parts: [{ type: 'tool_call_response', id: 'call_1', result: '4' }] },
    ]
    const content = {
      'gen_ai.system_instructions': JSON.stringify([part('Be brief.')]),
      'gen_ai.input.messages': JSON.stringify(messages),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'Reasoning', parts: [{ type: 'reasoning', content: 'Norway.' }] },
        { role: 'Assistant', parts: [part('I look.')] },
        { role: 'Tool', parts: [call] },
      ]),
    }
    expect(read({ ...base, ...content })).toMatchObject({
      messages: [system, user, calling, result],
      response: { role: 'assistant', content: 'I look.', reasoning_content: 'Norway.', tool_calls: calls },
      finishReason: 'tool_calls',
    })
  })

  it('is read for Koog: the answer as one more message, or as several choices', () => {
    const event = (name: string, body: object) => ({
      name: `gen_ai.${name}`,
      attributes: keyValues({ body: JSON.stringify(body) }),
    })
    const asked = [event('system.message', system), event('user.message', user)]
    expect(read(base, [...asked, event('assistant.message', answer)])).toMatchObject({
      messages: [system, user],
      response: answer,
    })
    const choices = [
      event('choice', { index: 0, message: { role: 'assistant', content: 'I look.' } }),
      event('choice', { role: 'tool', tool_calls: calls, finish_reason: 'tool_calls' }),
    ]
    expect(read(base, [...asked, ...choices])).toMatchObject({
      messages: [system, user],
      response: { role: 'assistant', content: 'I look.', tool_calls: calls },
    })
  })

  it('is read from a list of events in an attribute', () => {
    const events = [
      { 'event.name': 'gen_ai.system.message', ...system },
      { 'event.name': 'gen_ai.user.message', ...user },
      { 'event.name': 'gen_ai.assistant.message', role: 'assistant', tool_calls: calls },
      { 'event.name': 'gen_ai.tool.message', role: 'tool', id: 'call_1', content: '4' },
      { 'event.name': 'gen_ai.choice', index: 0, message: answer },
    ]
    const expected = { messages: [system, user, calling, result], response: answer }
    expect(read({ ...base, events: JSON.stringify(events) })).toMatchObject(expected)
    expect(read({ 'gen_ai.request.model': 'gpt-4o', events: JSON.stringify(events) })).toMatchObject(expected)
  })

  it('is read from a prompt and a completion in attributes, as texts, messages or whole bodies', () => {
    const of = (prompt: string, completion: string) =>
      read({ ...base, 'gen_ai.prompt': prompt, 'gen_ai.completion': completion })
    expect(of('Hi', 'Hello.')).toMatchObject({
      messages: [{ role: 'user', content: 'Hi' }],
      response: { role: 'assistant', content: 'Hello.' },
    })
    expect(of(JSON.stringify([system, user]), JSON.stringify([answer]))).toMatchObject({
      messages: [system, user],
      response: answer,
    })
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Four degrees.' }], stop_reason: 'end_turn' }
    expect(of(JSON.stringify({ system: 'Be brief.', messages: [user] }), JSON.stringify(message))).toMatchObject({
      messages: [system, user],
      response: answer,
    })
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Four degrees.' }] }]
    const response = JSON.stringify({ object: 'response', instructions: 'Be brief.', output })
    expect(of(JSON.stringify({ instructions: 'Be brief.', input: 'Weather in Oslo?' }), response)).toMatchObject({
      messages: [system, user],
      response: answer,
    })
    const human = { id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: { content: 'Weather in Oslo?' } }
    expect(of(JSON.stringify({ messages: [[human]] }), JSON.stringify({ type: 'ai', data: answer }))).toMatchObject({
      messages: [user],
      response: answer,
    })
  })

  it('has the first reason of a list in JSON', () => {
    const reasons = { 'gen_ai.response.finish_reasons': '["tool_calls"]' }
    expect(read({ ...base, ...reasons })).toMatchObject({ finishReason: 'tool_calls' })
  })
})

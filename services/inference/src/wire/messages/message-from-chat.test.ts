import { messageFromChat } from './message-from-chat.ts'
import { requestOf } from './message-streams.fixture.ts'
import { readMessagesReply } from './read-message.ts'

const usage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens_details: { reasoning_tokens: 8 },
}

function completion(message: object, finish_reason: unknown = 'stop', more: object = {}) {
  return { id: 'chatcmpl-1', model: 'fast-1', choices: [{ index: 0, message, finish_reason, ...more }], usage }
}

function translate(chat: object, body: object = {}) {
  const bytes = messageFromChat({ ...chat }, requestOf({ messages: [], ...body }))
  return bytes === null ? null : JSON.parse(bytes.toString())
}

const call = (args: unknown, more: object = {}) => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'now', arguments: args },
  ...more,
})

it('translates an answer to a message, whose input_tokens exclude the cached tokens', () => {
  expect(translate(completion({ role: 'assistant', content: 'Hello', reasoning_content: 'Hm.' }))).toEqual({
    id: 'msg_0190b5f000007000800000000000abcd',
    type: 'message',
    role: 'assistant',
    model: 'fast-1',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Hello' },
    ],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 40,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 60,
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 8 },
    },
  })
})

describe('signed thinking', () => {
  const format = 'anthropic-claude-v1'
  const reasoning_details = [
    { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format, index: 0 },
    { type: 'reasoning.encrypted', data: 'AAAA', format, index: 1 },
  ]
  const said = { role: 'assistant', content: 'Blue.', reasoning_content: 'Hm.', reasoning_details }

  it('is included with its signature', () => {
    expect(translate(completion(said)).content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'AAAA' },
      { type: 'text', text: 'Blue.' },
    ])
  })

  it('has no text when the client does not request it', () => {
    const body = { thinking: { type: 'adaptive', display: 'omitted' } }
    expect(translate(completion(said), body).content[0]).toEqual({ type: 'thinking', thinking: '', signature: 'c2ln' })
  })
})

it('finds thinking among the parts of the content', () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
    { type: 'text', text: 'Blue.' },
  ]
  expect(translate(completion({ role: 'assistant', content })).content).toEqual([
    { type: 'thinking', thinking: 'Hm.', signature: '' },
    { type: 'text', text: 'Blue.' },
  ])
})

it('includes the signature that the client must send back with a call', () => {
  const extra_content = { google: { thought_signature: 'AY89' } }
  const { content } = translate(completion({ tool_calls: [call('{}', { extra_content }), call('{}')] }, 'tool_calls'))
  const use = { type: 'tool_use', id: 'call_1', name: 'now', input: {} }
  expect(content).toEqual([{ ...use, extra_content }, use])
})

it('includes tool calls, several at once', () => {
  const calls = [call('{"zone":"UTC"}'), call('', { id: 'call_2' }), call({ a: 1 }, { id: undefined })]
  expect(translate(completion({ content: null, tool_calls: calls }, 'tool_calls'))).toMatchObject({
    content: [
      { type: 'tool_use', id: 'call_1', name: 'now', input: { zone: 'UTC' } },
      { type: 'tool_use', id: 'call_2', name: 'now', input: {} },
      { type: 'tool_use', id: expect.stringMatching(/^toolu_[0-9a-f]{32}_2$/), name: 'now', input: { a: 1 } },
    ],
    stop_reason: 'tool_use',
  })
})

it.each([
  ['stop', {}, 'end_turn'],
  ['length', {}, 'max_tokens'],
  ['content_filter', {}, 'refusal'],
  ['tool_calls', { tool_calls: [call('{}')] }, 'tool_use'],
  ['stop', { tool_calls: [call('{}')] }, 'tool_use'],
  ['length', { tool_calls: [call('{"a')] }, 'max_tokens'],
  ['stop', { refusal: 'No.' }, 'refusal'],
  ['eos', {}, 'end_turn'],
  [null, {}, 'end_turn'],
])('ends for %j of %j with %s', (reason, message, expected) => {
  expect(translate(completion({ content: 'x', ...message }, reason)).stop_reason).toBe(expected)
})

it('includes a refusal as text', () => {
  expect(translate(completion({ content: null, refusal: 'I will not.' }))).toMatchObject({
    content: [{ type: 'text', text: 'I will not.' }],
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: null, explanation: 'I will not.' },
  })
})

it('names the stop sequence when the server reports it', () => {
  const reported = completion({ content: 'x' }, 'stop', { stop_reason: 'END' })
  const asked = { stop_sequences: ['END'] }
  expect(translate(reported, asked)).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
  expect(translate(reported)).toMatchObject({ stop_reason: 'end_turn', stop_sequence: null })
  expect(translate(completion({ content: 'x' }, 'stop', { stop_reason: 128_001 }), asked)).toMatchObject({
    stop_reason: 'end_turn',
  })
})

it('omits thinking when the client does not request it', () => {
  const body = { thinking: { type: 'adaptive', display: 'omitted' } }
  const message = translate(completion({ content: 'x', reasoning: 'Hm.' }), body)
  expect(message.content).toEqual([{ type: 'text', text: 'x' }])
})

it('omits usage when the provider gave none', () => {
  expect(translate({ ...completion({ content: 'x' }), usage: undefined })).not.toHaveProperty('usage')
})

it('writes usage that is read back unchanged', () => {
  const bytes = messageFromChat(completion({ content: 'x' }), requestOf({ messages: [] }))
  expect(readMessagesReply(bytes ?? Buffer.alloc(0))?.usage).toMatchObject({
    promptTokens: 100,
    cachedPromptTokens: 60,
    completionTokens: 20,
    reasoningTokens: 8,
  })
})

it.each(['{"a', '[1]', '"text"'])('passes on arguments that are not the JSON of an object: %s', (text) => {
  expect(translate(completion({ tool_calls: [call(text)] }, 'tool_calls')).content).toMatchObject([
    { type: 'tool_use', input: { malformed_arguments: text } },
  ])
})

it.each([
  ['no choices', { choices: [] }],
  ['choices that are not a list', { choices: {} }],
  ['no message', { choices: [{ index: 0 }] }],
  ['a call without a function', completion({ tool_calls: [{ id: 'x' }] }, 'tool_calls')],
])('gives null for %s', (_what, chat) => {
  expect(translate(chat)).toBeNull()
})

it('preserves every digit of a call`s arguments', () => {
  const input = '{"id":12345678901234567890,"ratio":1.0}'
  const chat = completion({ role: 'assistant', content: null, tool_calls: [call(input)] }, 'tool_calls')
  expect(String(messageFromChat(chat, requestOf({ messages: [] })))).toContain(`"input":${input}`)
})

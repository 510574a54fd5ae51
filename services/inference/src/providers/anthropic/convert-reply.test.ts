import fc from 'fast-check'
import { noUsage } from '../../wire/usage.ts'
import { convertReply } from './convert-reply.ts'

const head = { id: 'chatcmpl-1', created: 1_760_000_000, model: 'claude' }

const message = (more: object) => ({
  id: 'msg_01X',
  type: 'message',
  role: 'assistant',
  model: 'claude-test-1',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 5 },
  ...more,
})

const convert = (more: object) => convertReply(Buffer.from(JSON.stringify(message(more))), head)
const bodyOf = (more: object) => JSON.parse(String(convert(more)?.bytes))

describe('convertReply', () => {
  it('writes a chat completion', () => {
    expect(bodyOf({})).toEqual({
      id: 'msg_01X',
      object: 'chat.completion',
      created: head.created,
      model: 'claude-test-1',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: expect.objectContaining({ prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }),
    })
  })

  it('writes thinking, text and parallel tool calls, with all digits of their numbers', () => {
    const input = '{"id":12345678901234567890,"ratio":1.0}'
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'x' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'One ' },
      { type: 'text', text: 'moment.' },
      { type: 'tool_use', id: 'toolu_1', name: 'find', input: 'INPUT' },
      { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
    ]
    const text = JSON.stringify(message({ content, stop_reason: 'tool_use' })).replace('"INPUT"', input)
    const reply = convertReply(Buffer.from(text), head)
    expect(JSON.parse(String(reply?.bytes)).choices).toMatchObject([
      {
        finish_reason: 'tool_calls',
        message: {
          content: 'One moment.',
          reasoning_content: 'Hm.',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Hm.', signature: 'x', format: 'anthropic-claude-v1', index: 0 },
            { type: 'reasoning.encrypted', data: 'x', format: 'anthropic-claude-v1', index: 1 },
          ],
          tool_calls: [
            { id: 'toolu_1', type: 'function', function: { name: 'find', arguments: input } },
            { id: 'toolu_2', type: 'function', function: { name: 'now', arguments: '{}' } },
          ],
        },
      },
    ])
    expect(reply?.pieces).toEqual(expect.arrayContaining(['One moment.', 'Hm.', 'find', input]))
  })

  it('omits reasoning details that are unsigned or too long for a frame', () => {
    const unsigned = { type: 'thinking', thinking: 'Hm.', signature: '' }
    expect(bodyOf({ content: [unsigned] }).choices[0].message).not.toHaveProperty('reasoning_details')
    const long = { type: 'thinking', thinking: '\u0001'.repeat(200_000), signature: 'x' }
    expect(bodyOf({ content: [long] }).choices[0].message).not.toHaveProperty('reasoning_details')
  })

  it('has no content when there are only calls', () => {
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'now', input: {} }]
    expect(bodyOf({ content }).choices[0].message.content).toBeNull()
  })

  it('includes tokens that were read from and written to the cache in the prompt', () => {
    const usage = {
      input_tokens: 2,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 8,
      output_tokens: 90,
      output_tokens_details: { thinking_tokens: 70 },
    }
    expect(convert({ usage })?.usage).toEqual({
      ...noUsage,
      promptTokens: 40,
      cachedPromptTokens: 30,
      cacheWriteTokens: 8,
      completionTokens: 90,
      reasoningTokens: 70,
    })
  })

  it('distinguishes missing usage from zero usage', () => {
    expect(convert({ usage: undefined })?.usage).toBeNull()
    expect(convert({ usage: { input_tokens: 0, output_tokens: 0 } })?.usage).toEqual(noUsage)
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'stop'],
    ['something new', 'stop'],
  ])('ends %s as %s', (stop_reason, finish_reason) => {
    expect(bodyOf({ stop_reason }).choices[0].finish_reason).toBe(finish_reason)
  })

  it('repeats the explanation of a refusal', () => {
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'Not this.' }
    expect(bodyOf({ content: [], stop_reason: 'refusal', stop_details }).choices[0].message).toMatchObject({
      content: '',
      refusal: 'Not this.',
    })
  })

  it.each([
    ['an error', '{"type":"error","error":{"type":"api_error","message":"x"}}'],
    ['half a message', '{"type":"message","content":[{"type'],
    ['a message without content', '{"type":"message"}'],
  ])('is null for %s', (_name, text) => {
    expect(convertReply(Buffer.from(text), head)).toBeNull()
  })

  it('never throws, and gives a readable completion or null for any blocks', () => {
    const block = fc.record(
      {
        type: fc.oneof(fc.constantFrom('text', 'thinking', 'tool_use'), fc.jsonValue()),
        text: fc.jsonValue(),
        thinking: fc.jsonValue(),
        id: fc.jsonValue(),
        name: fc.jsonValue(),
        input: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    )
    const change = fc.record(
      {
        content: fc.array(fc.oneof(block, fc.jsonValue())),
        id: fc.jsonValue(),
        usage: fc.jsonValue(),
        stop_reason: fc.jsonValue(),
      },
      { requiredKeys: ['content'] },
    )
    fc.assert(
      fc.property(change, (more) => {
        const reply = convert(more)
        if (reply !== null) expect(JSON.parse(String(reply.bytes)).choices).toHaveLength(1)
      }),
      { numRuns: 300 },
    )
  })
})

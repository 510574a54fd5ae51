import { convertReply } from './convert-reply.ts'

const head = { id: 'chatcmpl-1', created: 1_760_000_000, model: 'amazon.nova-pro-v1:0' }
const usage = { inputTokens: 12, outputTokens: 30, totalTokens: 42 }

function converted(body: object | string, model = head.model) {
  const reply = convertReply(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), { ...head, model })
  if (reply !== null && 'kind' in reply) throw new Error(reply.message)
  return reply === null ? null : { ...reply, body: JSON.parse(reply.bytes.toString()) }
}
const answer = (content: readonly object[], more: object = {}) =>
  converted({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', usage, ...more })

describe('convertReply', () => {
  it('is a chat completion of the text and the reasoning', () => {
    const reply = answer([
      { reasoningContent: { reasoningText: { text: 'Let me see.', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'AAAA' } },
      { text: 'It is ' },
      { text: 'blue.' },
    ])
    expect(reply?.body).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'amazon.nova-pro-v1:0',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'It is blue.', refusal: null, reasoning_content: 'Let me see.' },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 30,
        total_tokens: 42,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    })
    expect(reply?.usage).toMatchObject({ promptTokens: 12, completionTokens: 30 })
    expect(reply?.pieces).toEqual(['It is blue.', 'Let me see.'])
  })

  it('has the signed reasoning of Claude in the form in which clients send it back', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'Let me see.', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'AAAA' } },
      { text: 'Blue.' },
    ]
    const reply = converted({ output: { message: { content } }, usage }, 'us.anthropic.claude-sonnet-5')
    expect(reply?.body.choices[0].message.reasoning_details).toEqual([
      { type: 'reasoning.text', text: 'Let me see.', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'AAAA', format: 'anthropic-claude-v1', index: 1 },
    ])
  })

  it('preserves the numbers of a call as the model wrote them', () => {
    const content = '[{"toolUse":{"toolUseId":"t1","name":"find","input":{"id":12345678901234567890,"share":1.10}}}]'
    const reply = converted(`{"output":{"message":{"content":${content}}},"stopReason":"tool_use"}`)
    expect(reply?.body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          {
            id: 't1',
            type: 'function',
            function: { name: 'find', arguments: '{"id":12345678901234567890,"share":1.10}' },
          },
        ],
      },
    })
    expect(reply?.usage).toBeNull()
  })

  it('repeats cited text', () => {
    const reply = answer([{ citationsContent: { content: [{ text: 'Quoted.' }], citations: [{ title: 'a' }] } }])
    expect(reply?.body.choices[0].message.content).toBe('Quoted.')
  })

  it.each(['malformed_tool_use', 'malformed_model_output'])('makes an answer retryable that is %s', (stopReason) => {
    const usage = { inputTokens: 9, outputTokens: 3, totalTokens: 12 }
    const body = JSON.stringify({ output: { message: { content: [] } }, stopReason, usage })
    expect(convertReply(Buffer.from(body), head)).toMatchObject({
      kind: 'unavailable',
      spent: { usage: { promptTokens: 9, completionTokens: 3 } },
    })
  })

  it.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['no output', '{"stopReason":"end_turn"}'],
    ['content that is not a list', '{"output":{"message":{"content":"hello"}}}'],
    ['text that broke off', '{"output":{"message":{"content":[{"text":"hel'],
  ])('is null for %s', (_name, text) => {
    expect(converted(text)).toBeNull()
  })
})

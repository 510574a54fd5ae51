import { convertReply } from './convert-reply.ts'

const fallback = { id: 'chatcmpl-req-1', created: 1_760_000_000, model: 'gemini-2.5-flash' }

describe('convertReply', () => {
  it('returns a chat completion with text, reasoning and usage', () => {
    const reply = convert({
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Hm.', thought: true }, { text: 'It is ' }, { text: 'blue.' }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: {
        promptTokenCount: 100,
        cachedContentTokenCount: 64,
        candidatesTokenCount: 4,
        thoughtsTokenCount: 20,
        toolUsePromptTokenCount: 10,
        totalTokenCount: 134,
      },
      modelVersion: 'gemini-2.5-flash-001',
      responseId: 'abc',
    })
    expect(reply?.usage).toEqual({
      promptTokens: 110,
      cachedPromptTokens: 64,
      cacheWriteTokens: 0,
      completionTokens: 24,
      reasoningTokens: 20,
      searches: 0,
    })
    expect(reply?.pieces).toEqual(['It is blue.', 'Hm.'])
    expect(bodyOf(reply)).toMatchObject({
      id: 'chatcmpl-abc',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'gemini-2.5-flash-001',
      choices: [
        {
          message: { role: 'assistant', content: 'It is blue.', refusal: null, reasoning_content: 'Hm.' },
          finish_reason: 'stop',
        },
      ],
    })
  })

  it('returns function calls in their order, with the signature of their reasoning', () => {
    const parts = [
      { functionCall: { id: 'a', name: 'look_up', args: { n: 1 } }, thoughtSignature: 'AY89' },
      { functionCall: { name: 'now' } },
    ]
    const [choice] = bodyOf(convert({ candidates: [{ content: { parts }, finishReason: 'STOP' }] })).choices
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          {
            id: 'a',
            function: { name: 'look_up', arguments: '{"n":1}' },
            extra_content: { google: { thought_signature: 'AY89' } },
          },
          { id: expect.stringMatching(/^call_/), function: { name: 'now', arguments: '{}' } },
        ],
      },
    })
  })

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['OTHER', 'content_filter'],
    ['A_REASON_TO_COME', 'content_filter'],
  ])('converts %s to %s', (finishReason, expected) => {
    expect(bodyOf(convert({ candidates: [{ content: {}, finishReason }] })).choices[0].finish_reason).toBe(expected)
  })

  it('returns a blocked prompt as filtered, with its usage', () => {
    const reply = convert({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
    })
    expect(bodyOf(reply).choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { content: null } })
    expect(reply?.usage).toMatchObject({ promptTokens: 9, completionTokens: 0 })
  })

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])(
    'lets an answer that ended with %s be tried again',
    (finishReason) => {
      const usageMetadata = { promptTokenCount: 9, totalTokenCount: 12 }
      const body = { candidates: [{ content: {}, finishReason }], usageMetadata }
      expect(convertReply(Buffer.from(JSON.stringify(body)), fallback)).toMatchObject({
        kind: 'unavailable',
        spent: { usage: { promptTokens: 9, completionTokens: 3 } },
      })
    },
  )

  it('passes on a call with an argument __proto__', () => {
    const parts = '[{"functionCall":{"name":"save","args":{"__proto__":{"a":1}}}}]'
    const reply = convertReply(
      Buffer.from(`{"candidates":[{"content":{"parts":${parts}},"finishReason":"STOP"}]}`),
      fallback,
    )
    if (reply === null || 'kind' in reply) throw new Error('no reply')
    expect(bodyOf(reply).choices[0].message.tool_calls[0].function.arguments).toBe('{"__proto__":{"a":1}}')
  })

  it.each([
    ['nothing', {}],
    ['an error', { error: { code: 500 } }],
    ['a candidate that never ended', { candidates: [{ content: { parts: [{ text: 'a' }] } }] }],
    ['a call without a name', { candidates: [{ content: { parts: [{ functionCall: {} }] }, finishReason: 'STOP' }] }],
    ['parts that are not a list', { candidates: [{ content: { parts: 'a' }, finishReason: 'STOP' }] }],
  ])('returns null for %s', (_name, body) => {
    expect(convert(body)).toBeNull()
  })
})

function convert(body: object) {
  const reply = convertReply(Buffer.from(JSON.stringify(body)), fallback)
  if (reply !== null && 'kind' in reply) throw new Error(reply.message)
  return reply
}

function bodyOf(reply: ReturnType<typeof convert>) {
  return JSON.parse(reply?.bytes.toString() ?? 'null')
}

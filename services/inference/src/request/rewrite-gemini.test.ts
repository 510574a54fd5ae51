import { openGeminiRewrite } from './rewrite-gemini.ts'

const request = (config: object = {}) =>
  Buffer.from(JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: config }))

function streamed(chunks: readonly object[], config: object = {}): readonly object[] {
  const rewrite = openGeminiRewrite({ model: 'm', stream: true })
  rewrite.request(request(config), 'application/json')
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].flatMap((data) => {
    const frame = rewrite.frame(Buffer.from(data), data)?.toString()
    return frame === undefined ? [] : [JSON.parse(frame.slice('data: '.length))]
  })
}

const delta = (delta: object, more: object = {}) => ({ id: 'c', model: 'm', choices: [{ index: 0, delta, ...more }] })
const usage = {
  prompt_tokens: 9,
  completion_tokens: 7,
  completion_tokens_details: { reasoning_tokens: 3 },
  cost_usd: 0.5,
}

describe('a stream of Gemini', () => {
  it('sends text as it comes, and the calls, the reason and the usage at the end', () => {
    const call = (part: object) => delta({ tool_calls: [{ index: 0, ...part }] })
    const frames = streamed([
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'Hm.' }),
      delta({ content: 'It ' }),
      call({ id: 'call_1', function: { name: 'f', arguments: '{"a"' } }),
      call({ function: { arguments: ':1}' } }),
      delta({}, { finish_reason: 'tool_calls' }),
      { id: 'c', model: 'm', choices: [], usage },
    ])
    const names = { modelVersion: 'm', responseId: 'c' }
    expect(frames).toEqual([
      { candidates: [{ content: { role: 'model', parts: [{ text: 'It ' }] }, index: 0 }], ...names },
      {
        candidates: [
          {
            content: { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'f', args: { a: 1 } } }] },
            finishReason: 'STOP',
            index: 0,
          },
        ],
        usageMetadata: {
          promptTokenCount: 9,
          candidatesTokenCount: 4,
          thoughtsTokenCount: 3,
          totalTokenCount: 16,
          costUsd: 0.5,
        },
        ...names,
      },
    ])
  })

  it('holds back no more candidates than an answer may have, whatever a provider sends', () => {
    const choices = Array.from({ length: 1_000 }, (_, index) => ({
      index,
      delta: { content: 'x' },
      finish_reason: 'stop',
    }))
    const frames = streamed([
      { id: 'c', model: 'm', choices },
      { id: 'c', model: 'm', choices: [], usage },
    ])
    expect(frames.map((frame) => (frame as { candidates: unknown[] }).candidates.length)).toEqual([128, 128])
  })

  it('shows thoughts to a client that asks for them', () => {
    const [first] = streamed([delta({ reasoning_content: 'Hm.' })], { thinkingConfig: { includeThoughts: true } })
    expect(first).toMatchObject({ candidates: [{ content: { parts: [{ text: 'Hm.', thought: true }] } }] })
  })

  it('ends without a usage, and reports an error in the form of Google', () => {
    expect(streamed([delta({ content: 'x' }, { finish_reason: 'length' })]).at(-1)).toMatchObject({
      candidates: [{ finishReason: 'MAX_TOKENS' }],
    })
    const error = { message: 'It failed.', type: 'upstream_error', code: null, request_id: 'r' }
    expect(streamed([{ error }])[0]).toEqual({
      error: { code: 502, message: 'It failed.', status: 'INTERNAL', request_id: 'r' },
    })
  })
})

it('writes a complete answer', () => {
  const rewrite = openGeminiRewrite({ model: 'm', stream: false })
  rewrite.request(request(), 'application/json')
  const message = { role: 'assistant', content: 'Hello.', reasoning_content: 'Hm.' }
  const completion = { id: 'c', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }
  const written = rewrite.reply(Buffer.from(JSON.stringify(completion)))
  expect(JSON.parse(written.toString())).toMatchObject({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { totalTokenCount: 16 },
  })
})

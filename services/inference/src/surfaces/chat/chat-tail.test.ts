import { noUsage } from '../../wire/usage.ts'
import { streamTail } from './chat-tail.ts'

const tail = {
  includeUsage: true,
  usageData: null,
  id: 'chatcmpl-1',
  responseModel: 'gpt',
  usage: { ...noUsage, promptTokens: 3, completionTokens: 4 },
  isReported: true,
  chargedNano: 17_000n,
  created: 1_700_000_000,
}

describe('streamTail', () => {
  it('is only [DONE] for a client that did not request usage', () => {
    expect(streamTail({ ...tail, includeUsage: false })).toBe('data: [DONE]\n\n')
  })

  it('adds the cost to the usage chunk of the provider and leaves the rest of it unchanged', () => {
    const usageData = Buffer.from('{"id":"x","choices":[],"usage":{"prompt_tokens":3, "extra":1.50}}')
    expect(streamTail({ ...tail, usageData })).toBe(
      'data: {"id":"x","choices":[],"usage":{"prompt_tokens":3, "extra":1.50,"cost_usd":0.000017}}\n\ndata: [DONE]\n\n',
    )
  })

  it('writes a usage chunk when the provider sent none', () => {
    const [first = ''] = streamTail(tail).split('\n\n')
    expect(JSON.parse(first.slice('data: '.length))).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'gpt',
      choices: [],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 4,
        total_tokens: 7,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
        cost_usd: 0.000017,
      },
    })
  })
})

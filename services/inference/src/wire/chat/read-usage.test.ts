import fc from 'fast-check'
import { noUsage } from '../usage.ts'
import { readUsage } from './read-usage.ts'

const usage = (promptTokens: number, completionTokens: number, cachedPromptTokens = 0, reasoningTokens = 0) => ({
  promptTokens,
  cachedPromptTokens,
  completionTokens,
  reasoningTokens,
})

describe('readUsage', () => {
  it.each<[string, unknown, ReturnType<typeof usage> | null]>([
    ['plain counts', { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }, usage(10, 20)],
    ['an explicit zero', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, usage(0, 0)],
    [
      'the details of OpenAI',
      {
        prompt_tokens: 10,
        completion_tokens: 20,
        total_tokens: 30,
        prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      usage(10, 20, 8, 5),
    ],
    ['details that are null', { prompt_tokens: 1, completion_tokens: 2, prompt_tokens_details: null }, usage(1, 2)],
    [
      'the cache hits of DeepSeek',
      { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 4 },
      usage(9, 1, 4),
    ],
    ['the cached tokens of Moonshot', { prompt_tokens: 9, completion_tokens: 1, cached_tokens: 4 }, usage(9, 1, 4)],
    [
      'the reasoning that xAI counts beside the completion',
      {
        prompt_tokens: 10120,
        completion_tokens: 1499,
        total_tokens: 14428,
        prompt_tokens_details: { cached_tokens: 128 },
        completion_tokens_details: { reasoning_tokens: 2809 },
      },
      usage(10120, 4308, 128, 2809),
    ],
    ['embeddings, which have no completion', { prompt_tokens: 7, total_tokens: 7 }, usage(7, 0)],
    [
      'a completion that only the total includes',
      { prompt_tokens: 7, completion_tokens: null, total_tokens: 9 },
      usage(7, 2),
    ],
    ['a total smaller than the prompt', { prompt_tokens: 7, total_tokens: 3 }, null],
    ['a prompt only', { prompt_tokens: 7 }, null],
    ['a completion only', { completion_tokens: 7 }, null],
    ['nothing', {}, null],
    ['a negative count', { prompt_tokens: -1, completion_tokens: 2 }, null],
    ['a fraction', { prompt_tokens: 1.5, completion_tokens: 2 }, null],
    ['a count no request can have', { prompt_tokens: 1, completion_tokens: 1e12 }, null],
    ['infinity, as JSON can spell it', JSON.parse('{"prompt_tokens":1,"completion_tokens":1e999}'), null],
    ['a string', { prompt_tokens: '1', completion_tokens: 2 }, null],
    ['more cached than prompt', { prompt_tokens: 5, completion_tokens: 2, cached_tokens: 50 }, usage(5, 2, 5)],
    [
      'nonsense in the details',
      { prompt_tokens: 5, completion_tokens: 2, cached_tokens: -3, reasoning_tokens: 'x' },
      usage(5, 2),
    ],
    ['null', null, null],
    ['a list', [{ prompt_tokens: 1, completion_tokens: 2 }], null],
  ])('reads %s', (_name, value, expected) => {
    expect(readUsage(value)).toEqual(expected === null ? null : { ...noUsage, ...expected })
  })

  it('returns whole numbers of at least 0 with parts no larger than their wholes, or null, for any value', () => {
    const count = fc.oneof(fc.nat(50), fc.integer(), fc.double(), fc.constant(undefined), fc.jsonValue())
    const names = [
      'prompt_tokens',
      'completion_tokens',
      'total_tokens',
      'cached_tokens',
      'reasoning_tokens',
      'prompt_cache_hit_tokens',
    ]
    const fields = fc.record(Object.fromEntries(names.map((name) => [name, count])))
    const details = fc.record({
      prompt_tokens_details: fc.record({ cached_tokens: count }),
      completion_tokens_details: fc.record({ reasoning_tokens: count }),
    })
    const usages = fc.tuple(fields, fc.option(details)).map(([own, more]) => ({ ...own, ...more }))
    fc.assert(
      fc.property(fc.oneof(usages, fc.jsonValue()), (value) => {
        const read = readUsage(value)
        if (read === null) return
        expect(Object.values(read).every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0)).toBe(true)
        expect(read.cachedPromptTokens).toBeLessThanOrEqual(read.promptTokens)
        expect(read.reasoningTokens).toBeLessThanOrEqual(read.completionTokens)
      }),
      { numRuns: 500 },
    )
  })
})

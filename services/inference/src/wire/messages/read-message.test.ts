import fc from 'fast-check'
import { noUsage } from '../usage.ts'
import { laterMessagesUsage, piecesOfBlock, readMessagesReply, readMessagesUsage } from './read-message.ts'

const usage = (promptTokens: number, completionTokens: number, parts: object = {}) => ({
  ...noUsage,
  promptTokens,
  completionTokens,
  ...parts,
})

describe('readMessagesUsage', () => {
  it.each<[string, unknown, object | null]>([
    ['plain counts', { input_tokens: 10, output_tokens: 20 }, usage(10, 20)],
    ['an explicit zero', { input_tokens: 0, output_tokens: 0 }, usage(0, 0)],
    [
      'a prompt with cached and newly cached parts beside it',
      { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 40, output_tokens: 7 },
      usage(143, 7, { cachedPromptTokens: 100, cacheWriteTokens: 40 }),
    ],
    [
      'counts that are null',
      { input_tokens: 3, cache_read_input_tokens: null, cache_creation_input_tokens: null, output_tokens: 7 },
      usage(3, 7),
    ],
    [
      'thinking, which is part of the output',
      { input_tokens: 3, output_tokens: 70, output_tokens_details: { thinking_tokens: 60 } },
      usage(3, 70, { reasoningTokens: 60 }),
    ],
    [
      'more thinking than output',
      { input_tokens: 3, output_tokens: 7, output_tokens_details: { thinking_tokens: 60 } },
      usage(3, 7, { reasoningTokens: 7 }),
    ],
    ['nonsense in the parts', { input_tokens: 3, output_tokens: 7, cache_read_input_tokens: -1 }, usage(3, 7)],
    ['an input only', { input_tokens: 3 }, null],
    ['an output only', { output_tokens: 3 }, null],
    ['a negative count', { input_tokens: -1, output_tokens: 3 }, null],
    ['a fraction', { input_tokens: 1.5, output_tokens: 3 }, null],
    ['a count no request can have', { input_tokens: 1e12, output_tokens: 3 }, null],
    ['a string', { input_tokens: '3', output_tokens: 3 }, null],
    ['null', null, null],
    ['a list', [1], null],
  ])('reads %s', (_name, value, expected) => {
    expect(readMessagesUsage(value)).toEqual(expected)
  })

  it('returns whole numbers with parts no larger than their wholes, or null, for any value', () => {
    const count = fc.oneof(fc.nat(50), fc.integer(), fc.double(), fc.constant(null), fc.jsonValue())
    const names = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']
    const usages = fc.record(Object.fromEntries(names.map((name) => [name, count])), { requiredKeys: [] })
    fc.assert(
      fc.property(fc.oneof(usages, fc.jsonValue()), (value) => {
        const read = readMessagesUsage(value)
        if (read === null) return
        expect(Object.values(read).every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0)).toBe(true)
        expect(read.cachedPromptTokens + read.cacheWriteTokens).toBeLessThanOrEqual(read.promptTokens)
      }),
    )
  })
})

describe('laterMessagesUsage', () => {
  it('keeps the counts of the start that the delta omits, and takes the others from the delta', () => {
    const start = { input_tokens: 9, cache_read_input_tokens: 5, output_tokens: 1 }
    const delta = { output_tokens: 12, input_tokens: null, output_tokens_details: { thinking_tokens: 4 } }
    expect(readMessagesUsage(laterMessagesUsage(start, delta))).toEqual(
      usage(14, 12, { cachedPromptTokens: 5, reasoningTokens: 4 }),
    )
  })

  it('ignores values that are not usage', () => {
    expect(laterMessagesUsage(null, 'x')).toEqual({})
    expect(laterMessagesUsage({ input_tokens: 1 }, undefined)).toEqual({ input_tokens: 1 })
  })
})

describe('readMessagesReply', () => {
  const message = (more: object) =>
    Buffer.from(JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', content: [], ...more }))

  it('reads the usage and all text that the model generated', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'xxx' },
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } },
    ]
    const reply = readMessagesReply(message({ content, usage: { input_tokens: 4, output_tokens: 9 } }))
    expect(reply).toMatchObject({
      usage: usage(4, 9),
      pieces: ['Hm.', 'Hello', 'get_weather', '{"city":"Oslo"}'],
    })
    expect(reply?.scan.topLevel.has('usage')).toBe(true)
  })

  it('reads an answer without usage', () => {
    expect(readMessagesReply(message({}))?.usage).toBeNull()
  })

  it.each([
    ['an error', '{"type":"error","error":{"type":"api_error","message":"x"}}'],
    ['a chat completion', '{"object":"chat.completion","choices":[]}'],
    ['content that is no list', '{"type":"message","content":"x"}'],
    ['half of a message', '{"type":"message","content":['],
    ['nothing', ''],
  ])('is null for %s', (_name, text) => {
    expect(readMessagesReply(Buffer.from(text))).toBeNull()
  })
})

describe('piecesOfBlock', () => {
  it.each([
    [{ type: 'text_delta', text: 'a' }, ['a']],
    [{ type: 'thinking_delta', thinking: 'b' }, ['b']],
    [{ type: 'input_json_delta', partial_json: '{"c' }, ['{"c']],
    [{ type: 'signature_delta', signature: 'x' }, []],
    [{ type: 'tool_use', id: 'toolu_1', name: 'd', input: {} }, ['d']],
    [{ type: 'text', text: '' }, []],
    [{ type: 'text', text: 7 }, []],
  ])('of %j are %j', (block, pieces) => {
    expect(piecesOfBlock(block)).toEqual(pieces)
  })
})

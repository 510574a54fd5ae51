import { readConverseUsage } from './converse-usage.ts'

const claude = 'us.anthropic.claude-sonnet-4-6'

describe('readConverseUsage', () => {
  it('adds cached tokens to the prompt, because Bedrock counts them separately', () => {
    const usage = { inputTokens: 4, outputTokens: 34, cacheReadInputTokens: 29_000, cacheWriteInputTokens: 841 }
    expect(readConverseUsage(usage, claude)).toEqual({
      promptTokens: 29_845,
      cachedPromptTokens: 29_000,
      cacheWriteTokens: 841,
      completionTokens: 34,
      reasoningTokens: 0,
      searches: 0,
    })
  })

  it("does not add them for OpenAI's models on Bedrock, whose input includes them", () => {
    const model = 'openai.gpt-5.6-luna'
    const gross = { inputTokens: 4_995, outputTokens: 19, cacheWriteInputTokens: 4_993 }
    expect(readConverseUsage(gross, model)).toMatchObject({ promptTokens: 4_995, cacheWriteTokens: 4_993 })
    expect(readConverseUsage({ ...gross, inputTokens: 2 }, model)).toMatchObject({ promptTokens: 4_995 })
  })

  it('accepts a zero', () => {
    const none = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
    expect(readConverseUsage(none, claude)).toMatchObject({ promptTokens: 0, completionTokens: 0 })
  })

  it.each([
    undefined,
    null,
    7,
    [],
    {},
    { inputTokens: 1 },
    { inputTokens: '1', outputTokens: 1 },
    { inputTokens: 1.5, outputTokens: 1 },
    { inputTokens: -1, outputTokens: 1 },
    { inputTokens: 1e12, outputTokens: 1 },
  ])('is null for %j', (usage) => {
    expect(readConverseUsage(usage, claude)).toBeNull()
  })
})

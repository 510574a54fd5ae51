import { readUsage } from './read-usage.ts'

describe('readUsage', () => {
  it.each([
    [
      'thoughts beside the candidates',
      { promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 90, totalTokenCount: 97 },
      5,
      92,
      90,
    ],
    [
      'thoughts among the candidates',
      { promptTokenCount: 5, candidatesTokenCount: 92, thoughtsTokenCount: 90, totalTokenCount: 97 },
      5,
      92,
      90,
    ],
    [
      'thoughts that only the total includes',
      { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 97 },
      5,
      92,
      0,
    ],
    ['no total', { promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 90 }, 5, 92, 90],
    ['a total that cannot be', { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 1 }, 5, 2, 0],
    ['no candidates', { promptTokenCount: 5, totalTokenCount: 5 }, 5, 0, 0],
    ['explicit zeros', { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 }, 0, 0, 0],
  ])('counts %s', (_name, given, promptTokens, completionTokens, reasoningTokens) => {
    expect(readUsage(given)).toMatchObject({ promptTokens, completionTokens, reasoningTokens })
  })

  it('includes cached tokens in the prompt', () => {
    const given = { promptTokenCount: 5, cachedContentTokenCount: 9, candidatesTokenCount: 1 }
    expect(readUsage(given)).toMatchObject({ promptTokens: 5, cachedPromptTokens: 5 })
  })

  it.each([
    [undefined],
    [[]],
    [{}],
    [{ promptTokenCount: 5 }],
    [{ totalTokenCount: 5 }],
    [{ promptTokenCount: -1, candidatesTokenCount: 1.5 }],
  ])('is null for %j', (given) => {
    expect(readUsage(given)).toBeNull()
  })
})

import { checkEmbeddingsRequest } from './check-embeddings-request.ts'

const body = (more: object = {}) => ({ model: 'openai/text-embedding-3-small', input: 'Hi', ...more })

describe('checkEmbeddingsRequest', () => {
  it('returns the facts of a minimal request', () => {
    expect(checkEmbeddingsRequest(body())).toEqual({
      requestedModel: 'openai/text-embedding-3-small',
      fallbackModels: [],
      stream: false,
      includeUsage: false,
      n: 1,
      maxTokens: 0,
      searches: 0,
      prompt: { items: 1, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false },
    })
  })

  it('accepts null for absent, and fallbacks from models', () => {
    const optional = { models: null, encoding_format: null, dimensions: null, user: null }
    expect(checkEmbeddingsRequest(body(optional))).toEqual(checkEmbeddingsRequest(body()))
    expect(checkEmbeddingsRequest(body({ model: 'a/b', models: ['a/b', 'c/d'] }))).toMatchObject({
      requestedModel: 'a/b',
      fallbackModels: ['c/d'],
    })
  })

  it.each<[string, unknown, number]>([
    ['a text', 'Hi', 1],
    ['texts', ['a', 'b', 'c'], 3],
    ['tokens', [0, 1, 2], 1],
    ['more tokens than there may be texts', new Array(8_000).fill(7), 1],
    ['lists of tokens', [[1, 2], [3]], 2],
    ['as many texts as there may be', new Array(2_048).fill('a'), 2_048],
  ])('accepts %s', (_, input, items) => {
    expect(checkEmbeddingsRequest(body({ input })).prompt.items).toBe(items)
  })

  it.each<[object, string]>([
    [{ input: undefined }, 'input'],
    [{ input: null }, 'input'],
    [{ input: '' }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: 7 }, 'input'],
    [{ input: new Array(2_049).fill('a') }, 'input'],
    [{ input: ['a', ''] }, 'input.1'],
    [{ input: ['a', 1] }, 'input.1'],
    [{ input: ['a', [1]] }, 'input.1'],
    [{ input: [1, 'a'] }, 'input.1'],
    [{ input: [1, -1] }, 'input.1'],
    [{ input: [1.5] }, 'input.0'],
    [{ input: [[1], []] }, 'input.1'],
    [{ input: [[1], 'a'] }, 'input.1'],
    [{ input: [[1], [2, 'a']] }, 'input.1.1'],
    [{ input: [{ text: 'a' }] }, 'input.0'],
    [{ input: [null] }, 'input.0'],
    [{ encoding_format: 'int8' }, 'encoding_format'],
    [{ dimensions: 0 }, 'dimensions'],
    [{ dimensions: '256' }, 'dimensions'],
    [{ user: 7 }, 'user'],
    [{ model: undefined }, 'model'],
    [{ model: null, models: [] }, 'models'],
    [{ models: ['a', 7] }, 'models'],
  ])('refuses %j and names its path', (more, param) => {
    expect(() => checkEmbeddingsRequest(body(more))).toThrow(
      expect.objectContaining({ code: 'invalid_request', param, message: expect.stringContaining(param) }),
    )
  })
})

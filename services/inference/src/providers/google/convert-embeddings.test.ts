import { convertEmbeddingsReply, convertEmbeddingsRequest } from './convert-embeddings.ts'

const model = 'gemini-embedding-2'

describe('convertEmbeddingsRequest', () => {
  it('requests one vector per text, of the requested length', () => {
    expect(request({ input: ['a', 'b'], dimensions: 8, encoding_format: 'base64', user: 'u' })).toEqual({
      requests: ['a', 'b'].map((text) => ({
        model: 'models/gemini-embedding-2',
        content: { parts: [{ text }] },
        outputDimensionality: 8,
      })),
    })
    expect(request({ input: 'a', dimensions: null }).requests).toEqual([
      { model: 'models/gemini-embedding-2', content: { parts: [{ text: 'a' }] } },
    ])
  })

  it.each([
    [{ input: [1, 2] }, 'input', 'unsupported_parameter'],
    [{ input: [[1], [2]] }, 'input', 'unsupported_parameter'],
    [{ input: 'a', task: 'x' }, 'task', 'unsupported_parameter'],
    [{ input: ['a', 1] }, 'input.1', 'invalid_request'],
    [{ input: Array.from({ length: 101 }, () => 'a') }, 'input', 'invalid_request'],
    [{}, 'input', 'invalid_request'],
  ])('refuses %j, naming %s', (body, param, code) => {
    expect(() => request(body)).toThrow(expect.objectContaining({ param, code }))
  })
})

describe('convertEmbeddingsReply', () => {
  it('returns a list of vectors and the usage', () => {
    const reply = convert({ embeddings: [{ values: [0.5, -1] }], usageMetadata: { promptTokenCount: 12 } }, 'a')
    expect(reply?.usage).toMatchObject({ promptTokens: 12, completionTokens: 0 })
    expect(JSON.parse(String(reply?.bytes))).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -1] }],
      model,
      usage: { prompt_tokens: 12, total_tokens: 12 },
    })
  })

  it('returns no usage when Google reports none', () => {
    expect(convert({ embeddings: [{ values: [1] }, { values: [2] }] }, ['a', 'b'])?.usage).toBeNull()
  })

  it.each([
    ['a vector is missing', { embeddings: [{ values: [1] }] }, ['a', 'b']],
    ['a vector is empty', { embeddings: [{ values: [] }] }, 'a'],
    ['a vector is none', { embeddings: [{ values: ['1'] }] }, 'a'],
    ['there are none', { error: {} }, 'a'],
  ])('returns null when %s', (_name, body, input) => {
    expect(convert(body, input)).toBeNull()
  })
})

function request(body: object) {
  return JSON.parse(convertEmbeddingsRequest({ model: 'google/x', ...body }, model).toString())
}

function convert(body: object, input: string | readonly string[]) {
  return convertEmbeddingsReply(Buffer.from(JSON.stringify(body)), { body: { input }, model })
}

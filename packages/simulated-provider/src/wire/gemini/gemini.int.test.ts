import { providerClient, readEvents, readJson } from '../../provider-client.ts'
import { type SimulatedProvider, startSimulatedProvider } from '../../start-simulated-provider.ts'

let provider: SimulatedProvider
beforeAll(async () => {
  provider = await startSimulatedProvider()
})
afterAll(() => provider.stop())

const key = { 'x-goog-api-key': 'test' }
const question = [{ role: 'user', parts: [{ text: 'Why is the sky blue?' }] }]
const declarations = ['get_weather', 'get_time'].map((name) => ({
  name,
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}))

const post = (method: string, body: object, headers: Record<string, string> = key) =>
  providerClient(provider.baseUrl).post(`/v1beta/models/${method}`, { contents: question, ...body }, headers)
const ask = async (model: string, body: object = {}) =>
  readJson(await post(`sim-google%2F${model}:generateContent`, body))
// biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
const stream = async (model: string, body: object = {}): Promise<any[]> =>
  readEvents(await (await post(`sim-google/${model}:streamGenerateContent?alt=sse`, body)).text())

// biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
const textOf = (answers: any[]): string =>
  answers.flatMap(({ candidates }) => candidates[0].content.parts.map(({ text }: { text?: string }) => text)).join('')

describe('generateContent of the simulated provider', () => {
  it('answers with a candidate, and with the same candidate and final usage in a stream', async () => {
    const whole = await ask('large')
    expect(whole).toMatchObject({
      candidates: [{ content: { role: 'model' }, finishReason: 'STOP', index: 0 }],
      modelVersion: 'sim-google/large',
    })
    const chunks = await stream('large')
    expect(textOf(chunks)).toBe(textOf([whole]))
    expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }], usageMetadata: whole.usageMetadata })
    expect(chunks[0].usageMetadata.candidatesTokenCount).toBe(1)
  })

  it('calls functions, the first of them signed, and answers in text when given their results', async () => {
    const tools = [{ functionDeclarations: declarations }]
    const first = await ask('tools', { tools })
    const { parts } = first.candidates[0].content
    expect(parts.map((part: { functionCall: { name: string } }) => part.functionCall.name)).toEqual([
      'get_weather',
      'get_time',
    ])
    expect(parts.map((part: object) => 'thoughtSignature' in part)).toEqual([true, false])
    const results = parts.map(({ functionCall: { id, name } }: { functionCall: { id: string; name: string } }) => ({
      functionResponse: { id, name, response: { output: 'sunny' } },
    }))
    const contents = [...question, first.candidates[0].content, { role: 'user', parts: results }]
    expect(textOf([await ask('tools', { tools, contents })])).toMatch(/\w+ \w+/)
    const incomplete = [...question, first.candidates[0].content, { role: 'user', parts: results.slice(1) }]
    expect((await ask('tools', { tools, contents: incomplete })).error.status).toBe('INVALID_ARGUMENT')
  })

  it('requires the signature of a turn`s first call back, from Gemini 3 on', async () => {
    const tools = [{ functionDeclarations: declarations.slice(0, 1) }]
    const [part] = (await ask('gemini-3-tools', { tools })).candidates[0].content.parts
    const { id, name } = part.functionCall
    const results = { role: 'user', parts: [{ functionResponse: { id, name, response: { output: 'sunny' } } }] }
    const again = (thoughtSignature: string | undefined, model = 'gemini-3-tools') =>
      ask(model, { tools, contents: [...question, { role: 'model', parts: [{ ...part, thoughtSignature }] }, results] })
    for (const signature of [part.thoughtSignature, 'skip_thought_signature_validator']) {
      expect(await again(signature)).toHaveProperty('candidates')
    }
    expect((await again(undefined)).error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    expect((await again('AY89')).error.status).toBe('INVALID_ARGUMENT')
    expect(await again(undefined, 'tools')).toHaveProperty('candidates')
  })

  it('returns thoughts only if requested, and always counts them beside the candidate', async () => {
    const config = { generationConfig: { thinkingConfig: { includeThoughts: true } } }
    const aloud = await ask('reasoning-8', config)
    expect(aloud.candidates[0].content.parts[0]).toMatchObject({ thought: true })
    expect(aloud.usageMetadata.thoughtsTokenCount).toBe(8)
    const silent = await ask('reasoning-8')
    expect(silent.candidates[0].content.parts).toHaveLength(1)
    const { promptTokenCount: prompt, candidatesTokenCount: candidates } = silent.usageMetadata
    expect(silent.usageMetadata).toMatchObject({ thoughtsTokenCount: 8, totalTokenCount: prompt + candidates + 8 })
    expect(silent.usageMetadata.candidatesTokensDetails).toEqual([{ modality: 'TEXT', tokenCount: candidates }])
  })

  it('follows a schema and a limit', async () => {
    const schema = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] }
    const format = { responseMimeType: 'application/json', responseJsonSchema: schema }
    expect(Object.keys(JSON.parse(textOf([await ask('large', { generationConfig: format })])))).toEqual(['color'])
    expect(await ask('large', { generationConfig: { maxOutputTokens: 3 } })).toMatchObject({
      candidates: [{ finishReason: 'MAX_TOKENS' }],
      usageMetadata: { candidatesTokenCount: 3 },
    })
  })

  it.each([
    ['no key', {}, 'large', 403, 'PERMISSION_DENIED'],
    ['a bad key', { 'x-goog-api-key': 'invalid' }, 'large', 400, 'INVALID_ARGUMENT'],
    ['an unknown model', key, 'none', 404, 'NOT_FOUND'],
    ['a throttled model', key, 'fail-429', 429, 'RESOURCE_EXHAUSTED'],
    ['a failing model', key, 'fail-503', 503, 'UNAVAILABLE'],
  ])('refuses %s in Google`s envelope', async (_name, headers, model, code, status) => {
    const response = await post(`sim-google/${model}:generateContent`, {}, headers)
    expect(response.status).toBe(code)
    expect((await readJson(response)).error).toMatchObject({ code, status, message: expect.any(String) })
  })

  it('refuses members that Google does not know', async () => {
    expect((await ask('large', { messages: [] })).error.message).toContain('Unknown name "messages"')
    expect((await ask('large', { generationConfig: { max_tokens: 1 } })).error.message).toContain('max_tokens')
  })

  it('breaks off a stream with an error, leaves usage out, or breaks a chunk', async () => {
    expect((await stream('errorframe')).at(-1)).toMatchObject({ error: { code: 500, status: 'INTERNAL' } })
    expect((await stream('no-usage')).every((chunk) => !('usageMetadata' in chunk))).toBe(true)
    expect((await stream('zero-usage')).at(-1).usageMetadata).toMatchObject({ promptTokenCount: 0, totalTokenCount: 0 })
    await expect(stream('malformed')).rejects.toThrow(SyntaxError)
  })
})

describe('batchEmbedContents of the simulated provider', () => {
  const embed = async (texts: readonly string[], more: object = {}) => {
    const requests = texts.map((text) => ({
      model: 'models/sim-google/embed',
      content: { parts: [{ text }] },
      ...more,
    }))
    return readJson(
      await providerClient(provider.baseUrl).post(
        '/v1beta/models/sim-google%2Fembed:batchEmbedContents',
        { requests },
        key,
      ),
    )
  }

  it('answers one vector per text, of the requested length', async () => {
    const answer = await embed(['red apple', 'blue sky'], { outputDimensionality: 8 })
    expect(answer.embeddings.map(({ values }: { values: number[] }) => values.length)).toEqual([8, 8])
    expect(answer.usageMetadata.promptTokenCount).toBeGreaterThan(0)
  })

  it('refuses more than 100 texts', async () => {
    expect((await embed(Array.from({ length: 101 }, () => 'x'))).error.status).toBe('INVALID_ARGUMENT')
  })
})

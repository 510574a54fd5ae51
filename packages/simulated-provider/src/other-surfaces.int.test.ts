import { type ProviderClient, providerClient, readJson } from './provider-client.ts'
import { type SimulatedProvider, startSimulatedProvider } from './start-simulated-provider.ts'

let provider: SimulatedProvider
let client: ProviderClient

beforeAll(async () => {
  provider = await startSimulatedProvider()
  client = providerClient(provider.baseUrl)
})
afterAll(() => provider.stop())

const cosine = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * b[index]!, 0)

describe('POST /v1/embeddings', () => {
  const embed = (input: unknown, more: object = {}) =>
    client.json('/v1/embeddings', { model: 'sim/embed', input, ...more })

  it('answers one unit vector per input, close for texts that share words', async () => {
    const answer = await embed(['a red apple on the table', 'the red apple', 'stock market crash'])
    expect(answer).toMatchObject({ object: 'list', model: 'sim/embed', usage: { prompt_tokens: 15, total_tokens: 15 } })
    const [apple, sameApple, market] = answer.data.map((item: { embedding: number[] }) => item.embedding)
    expect(answer.data.map((item: { object: string; index: number }) => [item.object, item.index])).toEqual(
      [0, 1, 2].map((index) => ['embedding', index]),
    )
    expect(cosine(apple, apple)).toBeCloseTo(1, 5)
    expect(cosine(apple, sameApple)).toBeGreaterThan(0.5)
    expect(Math.abs(cosine(apple, market))).toBeLessThan(0.3)
  })

  it('returns the same numbers as base64 of little-endian floats', async () => {
    const floats = (await embed('hello', { dimensions: 8 })).data[0].embedding
    const bytes = Buffer.from(
      (await embed('hello', { dimensions: 8, encoding_format: 'base64' })).data[0].embedding,
      'base64',
    )
    expect(Array.from({ length: 8 }, (_, index) => bytes.readFloatLE(index * 4))).toEqual(floats)
  })

  it('accepts token arrays', async () => {
    expect((await embed([1, 2, 3])).data).toHaveLength(1)
    expect((await embed([[1, 2], [3]])).usage.prompt_tokens).toBe(3)
  })

  it.each([
    [{ input: '' }, 'input'],
    [{ input: [] }, 'input'],
    [{}, 'input'],
    [{ input: 'x', dimensions: 0 }, 'dimensions'],
    [{ input: 'x', encoding_format: 'hex' }, 'encoding_format'],
  ])('refuses %j', async (body, param) => {
    const response = await client.post('/v1/embeddings', { model: 'sim/embed', ...body })
    expect([response.status, (await readJson(response)).error.param]).toEqual([400, param])
  })
})

it.each([
  ['/v1/embeddings', { model: 'sim/embed', input: 'x'.repeat(33_000) }],
  ['/v1/rerank', { model: 'sim/rerank', query: 'x', documents: ['x'.repeat(132_000)] }],
])('%s refuses more than fits the context window', async (path, body) => {
  const response = await client.post(path, body)
  expect([response.status, (await readJson(response)).error.code]).toEqual([400, 'context_length_exceeded'])
})

describe('rerank', () => {
  const body = {
    model: 'sim/rerank',
    query: 'red apple',
    documents: ['blue sky', { text: 'one red apple pie' }, 'red apple'],
  }

  it('sorts by relevance on /v1, with the documents if requested', async () => {
    const answer = await client.json('/v1/rerank', { ...body, return_documents: true, top_n: 2 })
    expect(answer).toEqual({
      id: expect.stringMatching(/^rerank-/),
      object: 'rerank',
      model: 'sim/rerank',
      results: [
        { index: 2, relevance_score: 1, document: { text: 'red apple' } },
        { index: 1, relevance_score: 0.95, document: { text: 'one red apple pie' } },
      ],
      usage: { prompt_tokens: 13, total_tokens: 13, search_units: 1 },
    })
  })

  it('answers in the format of Cohere on /v2', async () => {
    const answer = await client.json('/v2/rerank', body)
    expect(answer.results.map((result: { index: number }) => result.index)).toEqual([2, 1, 0])
    expect(answer.meta).toEqual({ api_version: { version: '2' }, billed_units: { search_units: 1 } })
  })
})

describe('POST /v1/responses', () => {
  const ask = (body: object) => client.json('/v1/responses', { model: 'sim/echo', ...body })

  it('answers a message item with its usage', async () => {
    const answer = await ask({ input: 'hello there', instructions: 'be brief', metadata: { a: 'b' } })
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: 'response',
      status: 'completed',
      model: 'sim/echo',
      instructions: 'be brief',
      metadata: { a: 'b' },
      error: null,
      incomplete_details: null,
      usage: { input_tokens: 14, output_tokens: 3, total_tokens: 17, output_tokens_details: { reasoning_tokens: 0 } },
    })
    expect(answer.output).toEqual([
      {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'hello there' }],
      },
    ])
  })

  it('reports that the limit cut the answer', async () => {
    const answer = await ask({ input: 'word '.repeat(50), max_output_tokens: 16 })
    expect(answer).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  })

  it('calls tools, and answers in text when given their output', async () => {
    const tools = [
      { type: 'function', name: 'look_up', parameters: { type: 'object', properties: { term: { type: 'string' } } } },
    ]
    const first = await ask({ model: 'sim/tools', input: 'define entropy', tools })
    const [call] = first.output
    expect(call).toMatchObject({ type: 'function_call', name: 'look_up', arguments: '{"term":"define entropy"}' })
    const input = [
      { role: 'user', content: [{ type: 'input_text', text: 'define entropy' }] },
      call,
      { type: 'function_call_output', call_id: call.call_id, output: 'disorder' },
    ]
    expect((await ask({ model: 'sim/tools', input, tools })).output[0].type).toBe('message')
  })

  it('moderates what it is asked to moderate', async () => {
    const asked = { model: 'sim/echo', input: 'hi', moderation: { model: 'omni-moderation-latest' } }
    const results = { type: 'moderation_results', results: [{ type: 'moderation_result', flagged: false }] }
    expect((await ask(asked)).moderation).toMatchObject({ input: results, output: results })
    expect(await ask({ ...asked, moderation: null })).not.toHaveProperty('moderation')
  })

  it('streams typed events in order, one token per delta', async () => {
    const body = { model: 'sim/echo', input: 'hello there you' }
    const plain = await ask(body)
    const events = await client.events('/v1/responses', body)
    const deltas = events.filter((event) => event.type === 'response.output_text.delta')
    expect(deltas.map((event) => event.delta).join('')).toBe('hello there you')
    expect(deltas).toHaveLength(plain.usage.output_tokens)
    expect(new Set(deltas.map((event) => typeof event.obfuscation))).toEqual(new Set(['string']))
    const bare = await client.events('/v1/responses', { ...body, stream_options: { include_obfuscation: false } })
    expect(bare.some((event) => 'obfuscation' in event)).toBe(false)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.map((event) => event.type).filter((type) => type !== 'response.output_text.delta')).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.at(-1).response).toMatchObject({
      status: 'completed',
      output: [{ content: [{ text: 'hello there you' }] }],
      usage: plain.usage,
    })
  })

  it('applies the limits of the catalog', async () => {
    const long = await ask({ model: 'sim/pace-0', input: 'Go on.', max_output_tokens: 20_000 })
    expect(long).toMatchObject({ status: 'incomplete', usage: { output_tokens: 16_384 } })
    const { error } = await ask({ model: 'sim/large', input: 'x'.repeat(520_000) })
    expect(error.code).toBe('context_length_exceeded')
  })

  it('returns its reasoning, encrypted when requested, and reads only its own', async () => {
    const model = 'sim/reasoning-40'
    const [hidden] = (await ask({ model, input: 'hello' })).output
    expect(hidden).toEqual({ type: 'reasoning', id: expect.stringMatching(/^rs_/), summary: [] })
    const include = ['reasoning.encrypted_content']
    const { output } = await ask({ model, input: 'hello', include })
    expect(output).toMatchObject([{ encrypted_content: expect.any(String) }, { type: 'message' }])
    const events = await client.events('/v1/responses', { model, input: 'hello', include })
    expect(events.at(-1).response.output[0]).toMatchObject({ type: 'reasoning', encrypted_content: expect.any(String) })
    const input = [...output, { role: 'user', content: 'and then?' }]
    expect((await ask({ model, input })).status).toBe('completed')
    expect((await ask({ model: 'sim/reasoning-41', input })).error.code).toBe('invalid_encrypted_content')
    expect((await ask({ model: 'sim/large', input: 'hello', include })).output).toMatchObject([{ type: 'message' }])
  })

  it('returns no text when its reasoning uses up the limit', async () => {
    const answer = await ask({ model: 'sim/reasoning-40', input: 'hello', max_output_tokens: 16 })
    expect(answer).toMatchObject({
      status: 'incomplete',
      output: [{ type: 'reasoning' }],
      usage: { output_tokens: 16, output_tokens_details: { reasoning_tokens: 16 } },
    })
    expect(answer.output).toHaveLength(1)
  })

  const thought = { type: 'reasoning', id: 'rs_1', summary: [] }
  const readable = { ...thought, encrypted_content: Buffer.from('what sim/echo thought').toString('base64') }
  const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'c1', output: 'x' }
  const user = { role: 'user', content: 'hello' }
  it.each<[string, object[], number, RegExp]>([
    ['reasoning that is not encrypted', [thought, call, output], 404, /'rs_1' not found/],
    ['a reference', [{ type: 'item_reference', id: 'msg_1' }], 404, /'msg_1' not found/],
    ['reasoning at the end', [user, readable], 400, /without its required following item/],
    ['reasoning before a user', [readable, user], 400, /without its required following item/],
    ['a call without its output', [user, call], 400, /No tool output found for function call c1/],
    ['an output without its call', [output], 400, /No tool call found .* c1/],
    ['an id of another kind', [{ ...user, id: 'in_1' }], 400, /begins with 'msg'/],
    ['a member it does not know', [{ ...call, extra_content: {} }, output], 400, /'input\[0\].extra_content'/],
    ['a part`s', [{ ...user, content: [{ type: 'input_text', text: 'x', parsed: {} }] }], 400, /content\[0\].parsed/],
    ['a type it does not know', [{ type: 'memory' }], 400, /'memory'/],
  ])('refuses %s', async (_name, input, status, message) => {
    const response = await client.post('/v1/responses', { model: 'sim/echo', input, store: false })
    const { error } = await readJson(response)
    expect([response.status, error.message]).toEqual([status, expect.stringMatching(message)])
  })

  it('accepts reasoning with the item after it, and calls with their outputs', async () => {
    const input = [user, readable, readable, { ...call, id: 'fc_1' }, output, user]
    expect((await ask({ input })).status).toBe('completed')
  })

  it('refuses a body without input', async () => {
    const response = await client.post('/v1/responses', { model: 'sim/echo' })
    expect([response.status, (await readJson(response)).error.param]).toEqual([400, 'input'])
  })
})

describe('models', () => {
  const get = async (path: string) => readJson(await fetch(provider.baseUrl + path))

  it('lists every model without parameters', async () => {
    const { object, data } = await get('/v1/models')
    expect(object).toBe('list')
    expect(data).toContainEqual({ id: 'sim/large', object: 'model', created: 1_760_000_000, owned_by: 'simulated' })
    expect(data.some((model: { id: string }) => model.id.includes('<'))).toBe(false)
  })

  it('describes one, also of a family, with either encoding of its slash', async () => {
    expect((await get('/v1/models/sim/quality-0.9')).id).toBe('sim/quality-0.9')
    expect((await get('/v1/models/sim%2Flarge')).id).toBe('sim/large')
    expect((await get('/v1/models/sim/none')).error.code).toBe('model_not_found')
  })
})

describe('moderations, images and sound', () => {
  it('flags texts and counts their tokens', async () => {
    const answer = await client.json('/v1/moderations', { model: 'sim/moderate', input: ['peace', 'Violence!'] })
    expect(answer.results.map(({ flagged }: { flagged: boolean }) => flagged)).toEqual([false, true])
    expect(answer.results[1].categories.violence).toBe(true)
    expect(answer.usage).toEqual({ prompt_tokens: 5, total_tokens: 5 })
  })

  it('draws images, with tokens by their quality or without', async () => {
    const body = { prompt: 'a cat', n: 2, quality: 'low' }
    const answer = await client.json('/v1/images/generations', { model: 'sim/image', ...body })
    expect(answer.data).toHaveLength(2)
    expect(answer.usage).toMatchObject({ input_tokens: 2, output_tokens: 544 })
    const flat = await client.json('/v1/images/generations', { model: 'sim/image-flat', ...body })
    expect(flat.usage).toBeUndefined()
  })

  it('speaks in the requested format', async () => {
    const body = { model: 'sim/speech', input: 'Hi', voice: 'alloy', response_format: 'wav' }
    const response = await client.post('/v1/audio/speech', body)
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['audio/wav', 'wav:Hi'])
  })

  it('hears how long a sound is', async () => {
    const form = new FormData()
    form.set('model', 'sim/transcribe')
    form.set('file', new Blob([new Uint8Array(40_000)]), 'a.mp3')
    const sent = { method: 'POST', headers: { authorization: 'Bearer k' }, body: form }
    const response = await fetch(`${provider.baseUrl}/v1/audio/transcriptions`, sent)
    expect(await response.json()).toEqual({
      text: 'A recording of 2.5 seconds.',
      usage: { type: 'duration', seconds: 3 },
    })
  })
})

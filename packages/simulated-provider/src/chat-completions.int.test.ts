import { type ProviderClient, providerClient, readJson } from './provider-client.ts'
import { type SimulatedProvider, startSimulatedProvider } from './start-simulated-provider.ts'

let provider: SimulatedProvider
let client: ProviderClient

beforeAll(async () => {
  provider = await startSimulatedProvider()
  client = providerClient(provider.baseUrl)
})
afterAll(() => provider.stop())

const path = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'How do glaciers carve valleys?' }]
const weather = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}
const clock = { type: 'function', function: { name: 'get_time', parameters: { type: 'object', properties: {} } } }

const details = {
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

describe('POST /v1/chat/completions', () => {
  it('answers the complete object with its headers', async () => {
    const response = await client.post(path, { model: 'sim/echo', messages })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-request-id')).toMatch(/^req_sim_\d+$/)
    expect(await readJson(response)).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{24}$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'sim/echo',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: messages[0]!.content, refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 14, completion_tokens: 8, total_tokens: 22, ...details },
      service_tier: 'default',
      system_fingerprint: 'fp_simulated1',
    })
  })

  it.each([
    ['sim/large', {}],
    ['sim/tools', { tools: [weather] }],
    ['sim/judge', {}],
    ['sim/echo', { stream: true, n: 3 }],
  ])('answers %s %j with the same bytes twice', async (model, more) => {
    const body = { model, messages, ...more }
    const texts = [await client.post(path, body), await client.post(path, body)].map((response) => response.text())
    const [first, second] = await Promise.all(texts)
    expect(first).toBe(second)
  })

  it('waits for the first token as long as the model states', async () => {
    const begun = performance.now()
    await client.json(path, { model: 'sim/large', messages })
    expect(performance.now() - begun).toBeGreaterThanOrEqual(58)
  })

  it('returns n choices with the sum of their usage', async () => {
    const answer = await client.json(path, { model: 'sim/small', messages, n: 4, max_tokens: 3 })
    expect(
      answer.choices.map((choice: { index: number; finish_reason: string }) => [choice.index, choice.finish_reason]),
    ).toEqual([0, 1, 2, 3].map((index) => [index, 'length']))
    expect(answer.usage.completion_tokens).toBe(12)
  })

  it('accepts images in the content parts', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ]
    const answer = await client.json(path, { model: 'sim/echo', messages: [{ role: 'user', content }] })
    expect(answer.choices[0].message.content).toBe('What is this?')
    expect(answer.usage.prompt_tokens).toBe(3 + 3 + 4 + 85)
  })

  it('calls the first tool with arguments of its schema, both in parallel when requested', async () => {
    const one = await client.json(path, { model: 'sim/tools', messages, tools: [weather, clock] })
    expect(one.choices[0]).toMatchObject({ message: { content: null }, finish_reason: 'tool_calls' })
    expect(one.choices[0].message.tool_calls).toEqual([
      {
        id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
        type: 'function',
        function: { name: 'get_weather', arguments: '{"city":"glaciers carve valleys"}' },
      },
    ])
    const both = await client.json(path, {
      model: 'sim/tools',
      messages,
      tools: [weather, clock],
      parallel_tool_calls: true,
    })
    const names = both.choices[0].message.tool_calls.map((call: { function: { name: string } }) => call.function.name)
    expect(names).toEqual(['get_weather', 'get_time'])
  })

  it('answers in text once a tool result is in the conversation', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }
    const history = [
      ...messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'thunderstorm' },
    ]
    const answer = await client.json(path, { model: 'sim/tools', messages: history, tools: [weather] })
    expect(answer.choices[0]).toMatchObject({ message: { content: expect.any(String) }, finish_reason: 'stop' })
  })

  it.each([
    ['sim/small', { type: 'function', function: { name: 'get_time' } }, 'get_time'],
    ['sim/small', 'required', 'get_weather'],
    ['sim/small', 'auto', undefined],
    ['sim/tools', 'none', undefined],
  ])('applies tool_choice as %s: %j', async (model, choice, called) => {
    const answer = await client.json(path, { model, messages, tools: [weather, clock], tool_choice: choice })
    expect(answer.choices[0].message.tool_calls?.[0].function.name).toBe(called)
  })

  it.each([
    ['sim/echo', 'x'.repeat(4 * 262_144 + 8), {}, 262_144],
    ['sim/pace-0', 'Go on.', { max_tokens: 20_000 }, 16_384],
  ])('ends an answer of %s at the limit of the catalog', async (model, content, more, tokens) => {
    const body = { model, messages: [{ role: 'user', content }], ...more }
    const answer = await client.json(path, body)
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'length' })
    expect(answer.choices[0].message.content).toHaveLength(tokens * 4)
    expect(answer.usage.completion_tokens).toBe(tokens)
  })

  it('counts reasoning towards the maximum output of a model', async () => {
    const { usage } = await client.json(path, { model: 'sim/reasoning-999999', messages, max_tokens: 4 })
    expect(usage.completion_tokens).toBe(16_384)
  })

  it('returns log probabilities for each token', async () => {
    const answer = await client.json(path, {
      model: 'sim/echo',
      messages,
      logprobs: true,
      top_logprobs: 2,
      max_tokens: 2,
    })
    const { content } = answer.choices[0].logprobs
    expect(content.map((entry: { token: string }) => entry.token).join('')).toBe('How do g'.slice(0, 8))
    expect(content[0]).toEqual({
      token: 'How ',
      logprob: expect.any(Number),
      bytes: [72, 111, 119, 32],
      top_logprobs: [expect.objectContaining({ token: 'How ' }), expect.objectContaining({ token: ' the' })],
    })
  })
})

describe('refusals of POST /v1/chat/completions', () => {
  const good = { model: 'sim/echo', messages }
  it.each([
    ['not JSON', '{"model":', 400, null, null],
    ['an array', [], 400, null, null],
    ['no model', { messages }, 400, null, null],
    ['an unknown model', { ...good, model: 'gpt-9' }, 404, null, 'model_not_found'],
    ['an embedding model', { ...good, model: 'sim/embed' }, 400, 'model', null],
    ['no messages', { model: 'sim/echo' }, 400, 'messages', 'missing_required_parameter'],
    ['empty messages', { ...good, messages: [] }, 400, 'messages', 'empty_array'],
    ['a text for messages', { ...good, messages: 'hi' }, 400, 'messages', 'invalid_type'],
    [
      'an unknown role',
      { ...good, messages: [{ role: 'pirate', content: 'x' }] },
      400,
      'messages[0].role',
      'invalid_value',
    ],
    ['no content', { ...good, messages: [{ role: 'user' }] }, 400, 'messages[0].content', 'missing_required_parameter'],
    ['a hot temperature', { ...good, temperature: 3 }, 400, 'temperature', 'decimal_above_max_value'],
    ['n of 0', { ...good, n: 0 }, 400, 'n', 'integer_below_min_value'],
    ['a text for max_tokens', { ...good, max_tokens: '9' }, 400, 'max_tokens', 'invalid_type'],
    ['five stops', { ...good, stop: ['a', 'b', 'c', 'd', 'e'] }, 400, 'stop', 'array_above_max_length'],
    [
      'stream_options without stream',
      { ...good, stream_options: { include_usage: true } },
      400,
      'stream_options',
      null,
    ],
    ['top_logprobs without logprobs', { ...good, top_logprobs: 2 }, 400, 'top_logprobs', null],
    [
      'a tool that was not offered',
      { ...good, tool_choice: { type: 'function', function: { name: 'x' } } },
      400,
      'tool_choice',
      null,
    ],
  ])('answers %s in the envelope', async (_name, body, status, param, code) => {
    const response = await client.post(path, body)
    expect(response.status).toBe(status)
    expect(await readJson(response)).toEqual({
      error: { message: expect.stringMatching(/.{10}/), type: 'invalid_request_error', param, code },
    })
  })

  it('accepts a prompt that fills the context window and refuses one token more', async () => {
    const filling = (tokens: number) => ({ role: 'user', content: 'x'.repeat((tokens - 6) * 4) })
    const ask = (tokens: number) =>
      client.post(path, { model: 'sim/large', messages: [filling(tokens)], max_tokens: 1 })
    expect((await ask(128_000)).status).toBe(200)
    const refused = await ask(128_001)
    expect(refused.status).toBe(400)
    expect((await readJson(refused)).error).toEqual({
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens. " +
        'Please reduce the length of the messages.',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    })
  })

  it('reports a range as OpenAI does', async () => {
    const { error } = await client.json(path, { ...good, n: 200 })
    expect(error.message).toBe(
      "Invalid 'n': integer above maximum value. Expected a value <= 128, but got 200 instead.",
    )
  })

  it('requires a bearer key, with any value', async () => {
    const response = await client.post(path, good, { authorization: 'Basic abc' })
    expect(response.status).toBe(401)
    expect((await readJson(response)).error).toMatchObject({ type: 'invalid_request_error', code: null })
  })

  it.each([
    ['GET', path, 405, 'method_not_supported'],
    ['POST', '/v1/nothing', 404, null],
  ])('answers %s %s with %d', async (method, url, status, code) => {
    const response = await fetch(provider.baseUrl + url, { method })
    expect(response.status).toBe(status)
    expect((await readJson(response)).error.code).toBe(code)
  })

  it('survives a body that is nested too deep', async () => {
    const deep = `{"model":"sim/large","messages":[{"role":"user","content":"x"}],"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect((await client.post(path, deep)).status).toBe(500)
    expect((await client.post(path, good)).status).toBe(200)
  })
})

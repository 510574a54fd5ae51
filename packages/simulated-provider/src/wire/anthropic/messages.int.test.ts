import { providerClient, readEvents, readJson } from '../../provider-client.ts'
import { type SimulatedProvider, startSimulatedProvider } from '../../start-simulated-provider.ts'

let provider: SimulatedProvider
beforeAll(async () => {
  provider = await startSimulatedProvider()
})
afterAll(() => provider.stop())

const key = { authorization: '', 'x-api-key': 'sk-ant-test', 'anthropic-version': '2023-06-01' }
const question = [{ role: 'user', content: 'Why is the sky blue?' }]
const budgeted = 'sim-anthropic/budget-tools'
const conversation = (block: object) => ({
  messages: [...question, { role: 'assistant', content: [{ type: 'text', text: 'So.' }, block] }, ...question],
})
const weather = { name: 'get_weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }

const post = (body: object, headers: Record<string, string> = key) =>
  providerClient(provider.baseUrl).post('/v1/messages', { max_tokens: 500, messages: question, ...body }, headers)
const ask = async (body: object) => readJson(await post(body))
// biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
const stream = async (body: object): Promise<any[]> => readEvents(await (await post({ ...body, stream: true })).text())

describe('POST /v1/messages of the simulated provider', () => {
  it('answers with a message, and with the same one in a stream', async () => {
    const whole = await ask({ model: 'sim-anthropic/large' })
    expect(whole).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'sim-anthropic/large',
      content: [{ type: 'text' }],
      stop_reason: 'end_turn',
      usage: { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    })
    const events = await stream({ model: 'sim-anthropic/large' })
    expect(events.map(({ type }) => type).filter((type) => type !== 'content_block_delta')).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(events.map(({ delta }) => delta?.text ?? '').join('')).toBe(whole.content[0].text)
    expect(events.find(({ type }) => type === 'message_delta').usage).toEqual(whole.usage)
  })

  it('has every member that the newest SDK declares', async () => {
    const whole = await ask({ model: 'sim-anthropic/tools', tools: [weather] })
    const [call] = whole.content
    expect(Object.keys(whole).toSorted()).toEqual([
      ...['container', 'content', 'diagnostics', 'id', 'model', 'role', 'stop_details', 'stop_reason'],
      ...['stop_sequence', 'type', 'usage'],
    ])
    expect(Object.keys(whole.usage).toSorted()).toEqual([
      ...['cache_creation', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'inference_geo', 'input_tokens'],
      ...['output_tokens', 'output_tokens_details', 'server_tool_use', 'service_tier', 'speed'],
    ])
    expect(call.caller).toEqual({ type: 'direct' })
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'Fog.' }] }
    const messages = [...question, { role: 'assistant', content: whole.content }, result]
    expect((await post({ model: 'sim-anthropic/tools', tools: [weather], messages })).status).toBe(200)
  })

  it('calls tools in parallel when the choice says so, their inputs in pieces', async () => {
    const body = { model: 'sim-anthropic/tools', tools: [weather, { ...weather, name: 'get_time' }] }
    const parallel = { ...body, tool_choice: { type: 'auto', disable_parallel_tool_use: false } }
    const whole = await ask(parallel)
    expect(whole).toMatchObject({ content: [{ name: 'get_weather' }, { name: 'get_time' }], stop_reason: 'tool_use' })
    const events = await stream(parallel)
    const inputs = [0, 1].map((index) =>
      events.map((event) => (event.index === index ? (event.delta?.partial_json ?? '') : '')).join(''),
    )
    expect(inputs.map((json) => JSON.parse(json))).toEqual(whole.content.map(({ input }: { input: object }) => input))
    expect((await ask(body)).content).toHaveLength(1)
  })

  it('returns thinking, and counts it', async () => {
    const whole = await ask({ model: 'sim-anthropic/reasoning-8' })
    expect(whole.content.map(({ type }: { type: string }) => type)).toEqual(['thinking', 'text'])
    expect(whole.usage.output_tokens_details).toEqual({ thinking_tokens: 8 })
    const events = await stream({ model: 'sim-anthropic/reasoning-8' })
    expect(events.map(({ delta }) => delta?.thinking ?? '').join('')).toBe(whole.content[0].thinking)
  })

  it('counts cached and newly cached tokens beside the rest of the prompt', async () => {
    const { input_tokens: all } = (await ask({ model: 'sim-anthropic/medium' })).usage
    expect((await ask({ model: 'sim-anthropic/cached-4' })).usage).toMatchObject({
      input_tokens: all - 4,
      cache_read_input_tokens: 4,
    })
    const marked = { model: 'sim-anthropic/medium', cache_control: { type: 'ephemeral' } }
    expect((await ask(marked)).usage).toMatchObject({ input_tokens: 0, cache_creation_input_tokens: all })
  })

  it('follows a schema', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
    const { content } = await ask({
      model: 'sim-anthropic/large',
      output_config: { format: { type: 'json_schema', schema }, effort: 'low' },
    })
    expect(Object.keys(JSON.parse(content[0].text))).toEqual(['answer'])
  })

  it.each([
    ['no key', {}, { ...key, 'x-api-key': '' }, 401, 'authentication_error'],
    ['no version', {}, { ...key, 'anthropic-version': '' }, 400, 'invalid_request_error'],
    ['a member it does not know', { n: 2 }, key, 400, 'invalid_request_error'],
    ['no limit', { max_tokens: undefined }, key, 400, 'invalid_request_error'],
    ['an unknown model', { model: 'sim-anthropic/none' }, key, 404, 'not_found_error'],
    ['a model of another wire', { model: 'sim/large' }, key, 400, 'invalid_request_error'],
    ['a temperature above 1', { temperature: 1.5 }, key, 400, 'invalid_request_error'],
    ['overload', { model: 'sim-anthropic/fail-529' }, key, 529, 'overloaded_error'],
    ['a rate limit', { model: 'sim-anthropic/fail-429' }, key, 429, 'rate_limit_error'],
    ['a fault', { model: 'sim-anthropic/fail-500' }, key, 500, 'api_error'],
  ])('answers %s in its own envelope', async (_name, body, headers, status, type) => {
    const response = await post({ model: 'sim-anthropic/large', ...body }, headers)
    expect(response.status).toBe(status)
    expect(await readJson(response)).toMatchObject({ type: 'error', error: { type, message: expect.any(String) } })
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '1' : null)
  })

  it.each([
    ['a call that is not answered', [{ type: 'text', text: 'and?' }]],
    ['an answer to no call', [{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'x' }]],
  ])('refuses %s', async (_name, content) => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }
    const messages = [...question, { role: 'assistant', content: [call] }, { role: 'user', content }]
    expect((await post({ model: 'sim-anthropic/large', messages })).status).toBe(400)
  })

  it.each<[string, object]>([
    ['blank text', { messages: [{ role: 'user', content: ' \n' }] }],
    ['a blank block', { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }],
    ['a blank system prompt', { system: [{ type: 'text', text: ' ' }] }],
    ['no message', { messages: [] }],
    ['an id with other characters', conversation({ type: 'tool_use', id: 'a:0', name: 'get_weather', input: {} })],
    ['a thought without a signature', conversation({ type: 'thinking', thinking: 'Hm.' })],
    ['a thought with an empty signature', conversation({ type: 'thinking', thinking: 'Hm.', signature: '' })],
    ['adaptive thinking of a model that thinks by a budget', { model: budgeted, thinking: { type: 'adaptive' } }],
  ])('refuses %s', async (_what, body) => {
    expect((await post({ model: 'sim-anthropic/large', ...body })).status).toBe(400)
  })

  it('requires the thinking of a turn back, unchanged, with a thinking budget', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1_024 }
    const asked = { model: budgeted, max_tokens: 2_000, thinking, tools: [weather] }
    const { content } = await ask(asked)
    expect(content).toMatchObject([{ type: 'thinking' }, { type: 'tool_use' }])
    const [thought, call] = content
    const result = [{ type: 'tool_result', tool_use_id: call.id, content: 'Fog.' }]
    const goOn = (blocks: object[], more: object = {}) =>
      post({
        ...asked,
        ...more,
        messages: [...question, { role: 'assistant', content: blocks }, { role: 'user', content: result }],
      })
    expect((await goOn([thought, call])).status).toBe(200)
    expect((await goOn([call])).status).toBe(400)
    expect((await goOn([{ ...thought, thinking: 'Another.' }, call])).status).toBe(400)
    expect((await goOn([call], { thinking: undefined })).status).toBe(200)
    expect((await ask({ ...asked, thinking: undefined })).content).toMatchObject([{ type: 'tool_use' }])
  })

  it('can fail before the first event', async () => {
    const events = await stream({ model: 'sim-anthropic/errorfirst' })
    expect(events).toEqual([expect.objectContaining({ type: 'error' })])
  })

  it('has the defects that the names of models state', async () => {
    expect((await stream({ model: 'sim-anthropic/errorframe' })).at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'api_error' },
    })
    expect((await ask({ model: 'sim-anthropic/errorframe' })).type).toBe('error')
    expect((await ask({ model: 'sim-anthropic/no-usage' })).usage).toBeUndefined()
    expect((await ask({ model: 'sim-anthropic/zero-usage' })).usage).toMatchObject({
      input_tokens: 0,
      output_tokens: 0,
    })
    expect((await stream({ model: 'sim-anthropic/no-usage' })).some(({ usage }) => usage !== undefined)).toBe(false)
    await expect(ask({ model: 'sim-anthropic/malformed' })).rejects.toThrow(SyntaxError)
    await expect(stream({ model: 'sim-anthropic/malformed' })).rejects.toThrow(SyntaxError)
    const cut = await post({ model: 'sim-anthropic/cut-100', stream: true })
    await expect(cut.text()).rejects.toThrow()
    await expect(post({ model: 'sim-anthropic/hangup' })).rejects.toThrow()
  })

  it('records its replies as on every other API', async () => {
    await provider.reset()
    const { usage } = await ask({ model: 'sim-anthropic/large' })
    const { requests } = await provider.report({ model: 'sim-anthropic/large' })
    expect(requests).toMatchObject([{ tokens_emitted: usage.output_tokens }])
  })
})

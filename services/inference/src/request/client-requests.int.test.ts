import { startWireApp } from './wire-app.fixture.ts'

let wire: Awaited<ReturnType<typeof startWireApp>>
beforeAll(async () => {
  wire = await startWireApp()
})
afterAll(() => wire.stop())

const hi = [{ role: 'user', content: 'hi' }]
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }
const small = (provider: string, more: object) => ({ model: `${provider}/small`, messages: hi, ...more })
const translated = ['sim-anthropic', 'sim-google', 'sim-bedrock']

describe.each(translated)('a chat completion on %s', (provider) => {
  it('goes on without the name of a message, and says so', async () => {
    const named = [{ role: 'user', name: 'Bob', content: 'hi' }]
    const answer = await wire.send(small(provider, { messages: named }))
    expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, 'name'])
    expect(JSON.stringify(wire.last()?.body)).not.toContain('Bob')
  })

  it('goes on after the second step of an agent with a name', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }
    const messages = [
      ...hi,
      { role: 'assistant', name: 'weather_agent', content: null, tool_calls: [call] },
      { role: 'tool', name: 'look', tool_call_id: 'c1', content: 'sunny' },
    ]
    const answer = await wire.send({ model: `${provider}/tools`, messages, tools: [tool] })
    expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, 'name'])
  })

  it.each<[string, object, string]>([
    ['store', { store: true }, 'store'],
    ['unknown keys', { foo: 1 }, 'foo'],
    ['labels', { user: 'u1', metadata: { a: 'b' } }, provider === 'sim-anthropic' ? 'metadata' : 'user,metadata'],
    ['how much to write', { verbosity: 'low' }, 'verbosity'],
    ['a faster tier', { service_tier: 'priority' }, 'service_tier'],
    ['switches of hosts', { enable_thinking: false, provider: { order: ['a'] } }, 'enable_thinking,provider'],
    [
      'services with prices of their own',
      { web_search_options: {}, plugins: [{ id: 'web' }] },
      'web_search_options,plugins',
    ],
    ['members of tools', { tools: [{ ...tool, defer_loading: true }] }, 'tools.defer_loading'],
    ['tools of a provider', { tools: [tool, { type: 'web_search' }] }, 'tools.web_search'],
  ])('goes on without %s', async (_name, more, dropped) => {
    const answer = await wire.send(small(provider, more))
    expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, dropped])
  })

  it.each<[object, string]>([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ logit_bias: { 1: 5 } }, 'logit_bias'],
    [{ service_tier: 'flex' }, 'service_tier'],
  ])('refuses %j, which changes the answer or its price', async (more, param) => {
    const answer = await wire.send(small(provider, more))
    expect([answer.status, answer.body.error.param]).toEqual([400, param])
  })

  it.each<[object, string]>([
    [{ messages: [{ role: 'user', name: 'Bob', content: 'hi' }] }, 'messages.0.name'],
    [{ store: true }, 'store'],
    [{ foo: 1 }, 'foo'],
    [{ tools: [{ type: 'web_search' }] }, 'tools.0.type'],
    [{ web_search_options: {} }, 'web_search_options'],
  ])('refuses %j for a client that is strict', async (more, param) => {
    const answer = await wire.send(small(provider, more), { 'x-svc-strict': 'on' })
    expect([answer.status, answer.body.error.param]).toEqual([400, param])
  })

  it.each(['', 'true', '1', 'yes'])('refuses a client whose switch is %j', async (value) => {
    const answer = await wire.send(small(provider, {}), { 'x-svc-strict': value })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'X-Svc-Strict'])
  })

  it('reads the switch in any case', async () => {
    expect((await wire.send(small(provider, { foo: 1 }), { 'x-svc-strict': 'ON' })).status).toBe(400)
    expect((await wire.send(small(provider, { foo: 1 }), { 'x-svc-strict': 'Off' })).status).toBe(200)
  })

  it('is a fallback that takes a request with parameters that it does not have', async () => {
    const body = { model: 'sim/fail-503', models: [`${provider}/small`], messages: hi, seed: 1, logprobs: true }
    const answer = await wire.send(body, { 'x-svc-strict': 'on' })
    expect(answer.status).toBe(200)
    expect(answer.headers['x-svc-dropped']?.split(',')).toContain('logprobs')
  })

  it('is asked for a JSON object', async () => {
    const answer = await wire.send(small(provider, { response_format: { type: 'json_object' } }))
    expect(answer.status).toBe(200)
    const text = JSON.stringify(wire.last()?.body)
    expect(text).toMatch(provider === 'sim-google' ? '"responseMimeType":"application/json"' : 'one valid JSON object')
  })

  it('takes arguments in the history that are not JSON', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a": ' } }
    const messages = [
      ...hi,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'no' },
    ]
    const answer = await wire.send({ model: `${provider}/tools`, messages, tools: [tool] })
    expect(answer.status).toBe(200)
    expect(JSON.stringify(wire.last()?.body)).toContain(JSON.stringify({ malformed_arguments: '{"a": ' }))
  })

  it('takes a PDF', async () => {
    const file = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQK' }
    const content = [
      { type: 'text', text: 'What is it?' },
      { type: 'file', file },
    ]
    const answer = await wire.send(small(provider, { messages: [{ role: 'user', content }] }))
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
    expect(JSON.stringify(wire.last()?.body)).toContain('JVBERi0xLjQK')
  })

  it('chooses among some of its tools', async () => {
    const other = { type: 'function', function: { name: 'other', parameters: { type: 'object' } } }
    const allowed = { mode: 'auto', tools: [{ type: 'function', function: { name: 'look' } }] }
    const tool_choice = { type: 'allowed_tools', allowed_tools: allowed }
    const answer = await wire.send(small(provider, { tools: [tool, other], tool_choice }))
    expect(answer.status).toBe(200)
    expect(JSON.stringify(wire.last()?.body)).not.toContain('other')
  })
})

it('goes on without a seed where there is none', async () => {
  for (const provider of ['sim-anthropic', 'sim-bedrock']) {
    const answer = await wire.send(small(provider, { seed: 1 }))
    expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, 'seed'])
  }
})

it('says nothing of an answer to the whole request', async () => {
  const answer = await wire.send(small('sim', { seed: 1, store: true, foo: 1 }))
  expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, undefined])
  expect(wire.last()?.body).toMatchObject({ seed: 1, store: true, foo: 1 })
})

it('streams with the names of what was left out', async () => {
  const answer = await wire.send(small('sim-anthropic', { stream: true, seed: 1 }))
  expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, 'seed'])
  expect(answer.text).toContain('[DONE]')
})

describe.each([
  ['/v1/chat/completions', { messages: hi, stream_options: { include_usage: true } }, ''],
  ['/v1/messages', { messages: hi, max_tokens: 50 }, ''],
  ['/v1/responses', { input: 'hi', store: false }, 'response'],
])('an answer of %s', (path, body, inside) => {
  const ask = async (session: string | null, more: object) => {
    const named = session === null ? {} : { 'x-svc-session': session }
    const answer = await wire.send(
      { model: 'sim-google/small', ...body, ...more },
      { 'x-svc-cache': 'on', ...named },
      path,
    )
    const events = [...answer.text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))
    const said = 'stream' in more ? events.map((event) => event[inside] ?? event) : [answer.body]
    const { headers } = answer
    const ids = said.flatMap(({ conversation_id: id }) => (id === undefined ? [] : [id]))
    return { status: answer.status, cache: headers['x-svc-cache'], session: headers['x-svc-session'], ids }
  }

  it.each([[{}], [{ stream: true, temperature: 0.5 }]])(
    'with %j names the session of its own request',
    async (more) => {
      expect(await ask('s-1', more)).toEqual({ status: 200, cache: 'miss', session: 's-1', ids: ['s-1'] })
      expect(await ask('s "2"', more)).toEqual({ status: 200, cache: 'hit', session: 's "2"', ids: ['s "2"'] })
      expect(await ask(null, more)).toEqual({ status: 200, cache: 'hit', session: undefined, ids: [] })
    },
  )
})

describe.each(['sim', ...translated])('tools of other kinds on %s', (provider) => {
  const custom = { name: 'patch', description: 'Edits files.' }
  const grammar = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } }
  const customTool = { type: 'custom', custom: { ...custom, format: grammar } }
  const older = { name: 'look', parameters: { type: 'object', properties: { place: { type: 'string' } } } }
  const chunksOf = (text: string) =>
    [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data).choices[0] ?? {})

  it('are custom tools, whose calls have a text', async () => {
    const answer = await wire.send({ model: `${provider}/tools`, messages: hi, tools: [customTool] })
    expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, undefined])
    expect(JSON.stringify(wire.last()?.body)).toContain('The input must follow this lark grammar')
    const [{ message, finish_reason }] = answer.body.choices
    expect(finish_reason).toBe('tool_calls')
    expect(message.tool_calls).toMatchObject([
      { id: expect.any(String), type: 'custom', custom: { name: 'patch', input: expect.stringMatching(/^[^{]+$/) } },
    ])
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'done' }
    const next = await wire.send({
      model: `${provider}/tools`,
      messages: [...hi, message, result],
      tools: [customTool],
    })
    expect([next.status, next.body.choices[0].finish_reason]).toEqual([200, 'stop'])
  })

  it('are custom tools in a stream', async () => {
    const choice = { type: 'custom', custom: { name: 'patch' } }
    const body = { model: `${provider}/tools`, messages: hi, tools: [tool, customTool], tool_choice: choice }
    const answer = await wire.send({ ...body, stream: true })
    const calls = chunksOf(answer.text).flatMap(({ delta }) => delta?.tool_calls ?? [])
    const [first, ...others] = calls.filter(({ index }) => index === 0)
    expect(first).toMatchObject({ type: 'custom', custom: { name: 'patch', input: '' } })
    expect(others).toEqual([{ index: 0, custom: { input: expect.stringMatching(/^[^{]+$/) } }])
  })

  it('are functions as they were before tools', async () => {
    const body = { model: `${provider}/tools`, messages: hi, functions: [older], function_call: { name: 'look' } }
    const answer = await wire.send(body)
    expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, undefined])
    const [{ message, finish_reason }] = answer.body.choices
    expect([finish_reason, message]).toMatchObject(['function_call', { function_call: { name: 'look' } }])
    expect(JSON.parse(message.function_call.arguments)).toEqual({ place: expect.any(String) })
    expect(message).not.toHaveProperty('tool_calls')
    const result = { role: 'function', name: 'look', content: 'sunny' }
    const next = await wire.send({ ...body, function_call: 'auto', messages: [...hi, message, result] })
    expect([next.status, next.body.choices[0].finish_reason]).toEqual([200, 'stop'])
    const streamed = chunksOf((await wire.send({ ...body, stream: true })).text)
    const called = streamed.flatMap(({ delta }) => delta?.function_call ?? [])
    expect(called.map(({ name }) => name).filter((name) => name !== undefined)).toEqual(['look'])
    expect(JSON.parse(called.map((call) => call.arguments ?? '').join(''))).toEqual({ place: expect.any(String) })
    expect(streamed.map((each) => each.finish_reason ?? '').join('')).toBe('function_call')
  })

  it('are named as the client wrote them', async () => {
    const place = { ...older, parameters: 5 }
    const wrong = await wire.send({ model: `${provider}/tools`, messages: hi, functions: [place] })
    const both = await wire.send({ model: `${provider}/tools`, messages: hi, functions: [older], tools: [tool] })
    if (provider === 'sim-anthropic')
      expect([wrong.status, wrong.body.error.param]).toEqual([400, 'functions.0.parameters'])
    expect([both.status, both.body.error.param]).toEqual([400, 'functions'])
  })
})

it('gives OpenAI its custom tools and older functions as they are', async () => {
  const custom = { type: 'custom', custom: { name: 'patch' } }
  await wire.send({ model: 'openai/gpt-5', messages: hi, tools: [custom] })
  expect(wire.last()?.body.tools).toEqual([custom])
  await wire.send({ model: 'openai/gpt-5', messages: hi, functions: [{ name: 'look' }] })
  expect(wire.last()?.body.functions).toEqual([{ name: 'look' }])
})

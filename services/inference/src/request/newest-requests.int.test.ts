import { startWireApp } from './wire-app.fixture.ts'

/* The newest members of requests, as current SDKs and agents send them, to models that have nothing like them. */

let wire: Awaited<ReturnType<typeof startWireApp>>
beforeAll(async () => {
  wire = await startWireApp()
})
afterAll(() => wire.stop())

const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const text = (value: string) => ({ type: 'text', text: value })
const hi = [user('hi')]
const sentText = () => JSON.stringify(wire.last()?.body)
const droppedOf = ({ headers }: { headers: Record<string, string> }) =>
  (headers['x-svc-dropped'] ?? '').split(',').filter((name) => name !== '')

const translated = ['sim-anthropic/tools', 'sim-google/tools', 'sim-bedrock/tools']

describe.each(translated)('a chat completion on %s', (model) => {
  const send = (body: object, headers = {}) => wire.send({ model, messages: hi, ...body }, headers)
  const seen = (...details: string[]) => [
    user([text('see'), ...details.map((detail) => ({ type: 'image_url', image_url: { url: image, detail } }))]),
  ]

  it.each([[['low', 'high']], [['original']], [['high', 'original', 'low']]])(
    'reads images of the details %j',
    async (details) => {
      const answer = await send({ messages: seen(...details) })
      expect([answer.status, answer.body.error]).toEqual([200, undefined])
      expect(droppedOf(answer).join()).toMatch(/^image_url\.detail:/)
      const strict = await send({ messages: seen(...details) }, { 'x-svc-strict': 'on' })
      expect([strict.status, strict.body.error.param]).toEqual([400, expect.stringMatching(/image_url\.detail$/)])
    },
  )

  it('takes thoughts that Mistral wrote as a part of its answer', async () => {
    const thought = { type: 'thinking', thinking: [text('Hm.')] }
    const messages = [...hi, assistant(thought, text('Yes.')), user('go'), assistant(thought), user('on')]
    const answer = await send({ messages })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['content.thinking']])
    expect(sentText()).not.toContain('Hm.')
  })

  it('answers a greeting, a conversation of instructions alone, and a choice in Mistral`s word', async () => {
    const tool = { type: 'function', function: { name: 'look', parameters } }
    for (const more of [
      { messages: [{ role: 'assistant', content: 'Hello! How can I help?' }, user('Where is my order?')] },
      { messages: [{ role: 'system', content: 'Be brief.' }] },
      {
        messages: [
          { role: 'developer', content: 'Be brief.' },
          { role: 'system', content: 'Say hi.' },
        ],
      },
      { tools: [tool], tool_choice: 'any' },
    ]) {
      const answer = await send(more)
      expect([answer.status, answer.body.error, droppedOf(answer)]).toEqual([200, undefined, []])
    }
  })

  it('gets functions whose schema says nothing', async () => {
    const answer = await send({ tools: [{ type: 'function', function: { name: 'now', parameters: {} } }] })
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
  })

  it('goes on without the tier fast, which is faster', async () => {
    const answer = await send({ service_tier: 'fast' })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['service_tier']])
  })
})

it.each([
  ['sim-anthropic/tools', undefined, ['temperature:1.5']], // the highest one is its default
  ['sim-bedrock/tools', '1', ['temperature:1.5']],
  ['sim-google/tools', '1.5', []],
])('asks %s for its highest temperature when a higher one is asked for', async (model, sent, dropped) => {
  const answer = await wire.send({ model, messages: hi, temperature: 1.5 })
  expect([answer.status, droppedOf(answer)]).toEqual([200, dropped])
  expect(/"temperature":([\d.]+)/.exec(sentText())?.[1]).toBe(sent)
})

it('goes on without the settings of drawing that a model does not have', async () => {
  const drawn = { temperature: 0.2, top_p: 0.9 }
  const chat = await wire.send({ model: 'claude-opus-5-5', messages: hi, ...drawn })
  const response = await wire.send({ model: 'claude-opus-5-5', input: 'hi', ...drawn }, {}, '/v1/responses')
  const message = { model: 'gpt-6-sol', max_tokens: 50, messages: hi, top_k: 40 }
  const said = await wire.send(message, {}, '/v1/messages')
  expect([chat, response, said].map((answer) => [answer.status, droppedOf(answer)])).toEqual([
    [200, ['temperature', 'top_p']],
    [200, ['temperature', 'top_p']],
    [200, ['top_k']],
  ])
  expect(sentText()).not.toContain('top_k')
  const strict = await wire.send(message, { 'x-svc-strict': 'on' }, '/v1/messages')
  expect([strict.status, strict.body.error.param]).toEqual([400, 'top_k'])
})

it('asks a model that always thinks for its least thinking', async () => {
  const answer = await wire.send({ model: 'sim-google/gemini-3-tools', messages: hi, reasoning_effort: 'none' })
  expect([answer.status, droppedOf(answer)]).toEqual([200, ['reasoning_effort:none']])
  expect(sentText()).toContain('"thinkingLevel":"minimal"')
})

describe.each(translated)('a response on %s', (model) => {
  const send = (body: object) => wire.send({ model, input: 'hi', ...body }, {}, '/v1/responses')
  const named = (more: object) => ({ type: 'function', name: 'look', parameters, ...more })

  it.each<[string, object, readonly string[]]>([
    ['a truncated prompt', { truncation: 'auto' }, ['truncation']],
    ['callers of tools', { tools: [named({ allowed_callers: ['programmatic'] })] }, ['tools.allowed_callers']],
    ['tools that do not wait', { tools: [named({ async: true })] }, ['tools.async']],
    [
      'images in their original size',
      { input: [user([{ type: 'input_image', image_url: image, detail: 'original' }])] },
      ['image_url.detail:original'],
    ],
    [
      'programs and new settings in its history',
      {
        input: [
          ...hi,
          { type: 'program', id: 'p1', call_id: 'c1', code: '1', fingerprint: 'f' },
          { type: 'program_output', id: 'p2', call_id: 'c1', result: '1', status: 'completed' },
          { type: 'configuration_update', reasoning: { effort: 'low' } },
          user('go on'),
        ],
      },
      ['input.program', 'input.program_output', 'input.configuration_update'],
    ],
  ])('goes on without %s', async (_name, more, dropped) => {
    const answer = await send(more)
    expect([answer.status, answer.body.error, droppedOf(answer)]).toEqual([200, null, dropped])
  })

  it('ends in a summary where OpenAI would compact the conversation', async () => {
    const answer = await send({ input: [user('I like tea.'), { type: 'compaction_trigger' }] })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['input.compaction_trigger']])
    expect(sentText()).toContain('Summary of the conversation so far:')
    expect(answer.body.output.at(-1)).toMatchObject({ type: 'message', content: [{ type: 'output_text' }] })
  })

  it('sees the screenshot of a computer as an image', async () => {
    const input = [
      ...hi,
      { type: 'computer_call', id: 'cu_1', call_id: 'c1', actions: [{ type: 'screenshot' }], status: 'completed' },
      { type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot', image_url: image } },
    ]
    const answer = await send({ input, tools: [{ type: 'computer' }] })
    expect([answer.status, answer.body.error]).toEqual([200, null])
    expect(sentText()).toContain(image.split(',')[1])
    expect(sentText()).not.toContain('computer_screenshot')
  })
})

describe.each(['sim/tools', 'sim-google/tools', 'sim-bedrock/tools'])('a message on %s', (model) => {
  const tool = { name: 'look', input_schema: parameters }
  const send = (body: object) => wire.send({ model, max_tokens: 100, messages: hi, ...body }, {}, '/v1/messages')
  const document = (more: object) => user([{ type: 'document', ...more }, text('go')])
  const said = (...blocks: unknown[]) => ({ messages: [...hi, assistant(...blocks, text('Yes.')), user('go')] })
  const words = { type: 'text', media_type: 'text/plain', data: 'abc' }

  it.each<[string, object, readonly string[]]>([
    [
      'callers of tools',
      { tools: [{ ...tool, allowed_callers: ['code_execution_20260120'] }] },
      ['tools.allowed_callers'],
    ],
    ['other models to answer', { fallbacks: [{ model: 'a' }] }, ['fallbacks']],
    ['a place to think', { thinking: { type: 'between_tools' } }, ['thinking.type:between_tools']],
    ['citations', { messages: [document({ source: words, citations: { enabled: true } })] }, ['content.citations']],
    [
      'citations of a search',
      {
        messages: [
          user([
            { type: 'search_result', source: 's', title: 't', content: [text('a')], citations: { enabled: true } },
            text('go'),
          ]),
        ],
      },
      ['content.citations'],
    ],
    [
      'files for code',
      { messages: [user([text('a'), { type: 'container_upload', file_id: 'f' }])] },
      ['content.container_upload'],
    ],
    [
      'calls of a server of tools',
      said(
        { type: 'mcp_tool_use', id: 'm1', name: 'f', server_name: 's', input: {} },
        { type: 'mcp_tool_result', tool_use_id: 'm1', content: [text('x')] },
      ),
      ['content.mcp_tool_use', 'content.mcp_tool_result'],
    ],
    [
      'the change of a model',
      said({ type: 'fallback', from: { model: 'a' }, to: { model: 'b' } }),
      ['content.fallback'],
    ],
    ['a summary that failed', said({ type: 'compaction', content: null }), ['content.compaction']],
  ])('goes on without %s', async (_name, more, dropped) => {
    const answer = await send(more)
    expect([answer.status, answer.body.error, droppedOf(answer)]).toEqual([200, undefined, dropped])
  })

  it('reads a summary of what came before', async () => {
    const answer = await send(said({ type: 'compaction', content: 'They spoke of tea.' }))
    expect([answer.status, droppedOf(answer)]).toEqual([200, []])
    expect(sentText()).toContain('They spoke of tea.')
  })

  it('is processed anywhere when that is asked for', async () => {
    const answer = await send({ inference_geo: 'global' })
    expect([answer.status, droppedOf(answer)]).toEqual([200, []])
    expect((await send({ inference_geo: 'us' })).status).toBe(400)
  })

  it('is offered the tools that are left after the changes of the conversation', async () => {
    const change = (type: string, changed: object) => ({ type, tool: changed })
    const added = { type: 'tool_definition', definition: { name: 'added', input_schema: parameters } }
    const hosted = { type: 'tool_definition', definition: { type: 'web_search_20260318', name: 'web_search' } }
    const changes = [
      change('tool_addition', added),
      change('tool_addition', hosted),
      change('tool_removal', { type: 'tool_reference', name: 'look' }),
    ]
    const messages = [...hi, { role: 'system', content: [text('Be brief.'), ...changes] }]
    const answer = await send({ messages, tools: [tool, { ...tool, name: 'kept' }] })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['tools.web_search_20260318']])
    for (const name of ['"added"', '"kept"', 'Be brief.']) expect(sentText()).toContain(name)
    expect(sentText()).not.toContain('"look"')
  })

  it('reads a document by its link where its provider fetches it', async () => {
    const answer = await send({ messages: [document({ source: { type: 'url', url: 'https://a.test/a.pdf' } })] })
    expect(answer.status).toBe(model.startsWith('sim-bedrock') ? 400 : 200)
    if (answer.status === 200) expect(sentText()).toContain('https://a.test/a.pdf')
  })

  it('reads what a browser shows', async () => {
    const call = { type: 'tool_use', id: 't1', name: 'navigate', input: {}, toolset_name: 'browser' }
    const state = { type: 'browser_state', tabs: [{ url: 'https://a.test', active: true }] }
    const result = { type: 'tool_result', tool_use_id: 't1', toolset_name: 'browser', content: [state] }
    const answer = await send({ messages: [...hi, assistant(call), user([result])], tools: [tool] })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['content.toolset_name']])
    expect(sentText()).toContain('https://a.test')
  })
})

describe('a limit above what the model can write', () => {
  it.each<[string, string, object, string]>([
    ['gpt-4o', '/v1/messages', { max_tokens: 32_000, messages: hi }, 'max_tokens:32000'],
    ['gpt-4o', '/v1/chat/completions', { max_completion_tokens: 32_000, messages: hi }, 'max_completion_tokens:32000'],
    ['gpt-4o', '/v1/responses', { max_output_tokens: 32_000, input: 'hi' }, 'max_output_tokens:32000'],
    ['sim-google/tools', '/v1/messages', { max_tokens: 32_000, messages: hi }, 'max_tokens:32000'],
    ['sim-bedrock/tools', '/v1/responses', { max_output_tokens: 32_000, input: 'hi' }, 'max_output_tokens:32000'],
  ])('becomes that of %s at %s', async (model, path, body, dropped) => {
    const answer = await wire.send({ model, ...body }, {}, path)
    expect([answer.status, droppedOf(answer)]).toEqual([200, [dropped]])
    expect(sentText()).toContain('16384')
    expect(sentText()).not.toContain('32000')
    await wire.send({ model, ...body }, { 'x-svc-strict': 'on' }, path)
    expect(sentText()).toContain('32000')
  })

  it('is that of the client at Claude, whose betas may allow more', async () => {
    const body = { model: 'claude-opus-5-5', max_tokens: 300_000, messages: hi }
    const answer = await wire.send(body, {}, '/v1/messages')
    expect([answer.status, droppedOf(answer), wire.last()?.body.max_tokens]).toEqual([200, [], 300_000])
  })
})

describe('a message on Claude', () => {
  const model = 'claude-opus-5-5'
  const send = (body: object, headers = {}) =>
    wire.send({ model, max_tokens: 100, messages: hi, ...body }, headers, '/v1/messages')

  it('brings no tool with it later that Anthropic would run', async () => {
    const hosted = { type: 'tool_definition', definition: { type: 'web_fetch_20260318', name: 'web_fetch' } }
    const own = { type: 'tool_definition', definition: { name: 'own', input_schema: parameters } }
    const changes = [hosted, own].map((tool) => ({ type: 'tool_addition', tool }))
    const body = { messages: [...hi, { role: 'system', content: changes }, user('go')] }
    const answer = await send(body)
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['content.tool_addition']])
    expect(wire.last()?.body.messages[1].content).toEqual(changes.slice(1))
    expect((await send(body, { 'x-svc-strict': 'on' })).status).toBe(400)
  })

  it('is no summary, whose tokens the answer does not count', async () => {
    const answer = await send({ compaction: { type: 'summarize' } })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'compaction'])
  })

  it.each<[string, object]>([
    ['billing_policy', { billing_policy: { type: 'billing_policy' } }],
    ['fallback_credit_token', { fallback_credit_token: 'x' }],
  ])('goes on without %s', async (name, body) => {
    const answer = await send(body)
    expect([answer.status, droppedOf(answer)]).toEqual([200, [name]])
  })

  it('calls a tool by itself when no code can', async () => {
    const tool = { name: 'look', input_schema: parameters, allowed_callers: ['code_execution_20260521'] }
    const answer = await send({ tools: [tool, { type: 'code_execution_20260521', name: 'code_execution' }] })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['tools.code_execution_20260521']])
    expect(wire.last()?.body.tools).toEqual([{ name: 'look', input_schema: parameters }])
  })
})

describe('a response on a model of OpenAI', () => {
  const send = (body: object) => wire.send({ model: 'gpt-6-sol', input: 'hi', ...body }, {}, '/v1/responses')

  it('goes on without calls that only OpenAI can go on with', async () => {
    const input = [
      ...hi,
      { type: 'mcp_approval_request', id: 'a1', name: 'f', server_label: 's', arguments: '{}' },
      { type: 'mcp_approval_response', approval_request_id: 'a1', approve: true },
      { type: 'program', id: 'p1', call_id: 'c1', code: '1', fingerprint: 'f' },
      { type: 'program_output', id: 'p2', call_id: 'c1', result: '1', status: 'completed' },
      user('go'),
    ]
    const answer = await send({ input })
    expect([answer.status, droppedOf(answer)]).toEqual([
      200,
      ['input.mcp_approval_request', 'input.mcp_approval_response', 'input.program', 'input.program_output'],
    ])
    expect(wire.last()?.body.input).toEqual([...hi, user('go')])
  })

  it.each([{ type: 'configuration_update', reasoning: { effort: 'low' } }, { type: 'compaction_trigger' }])(
    'is passed on with %j',
    async (item) => {
      const answer = await send({ input: [...hi, item] })
      expect([answer.status, droppedOf(answer)]).toEqual([200, []])
      expect(wire.last()?.body.input).toEqual([...hi, item])
    },
  )

  it('calls a tool by itself when no program can', async () => {
    const tool = { type: 'function', name: 'look', parameters, allowed_callers: ['programmatic'] }
    const answer = await send({ tools: [tool, { type: 'programmatic_tool_calling' }] })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['tools.programmatic_tool_calling']])
    expect(wire.last()?.body.tools).toEqual([{ type: 'function', name: 'look', parameters }])
  })
})

import { readObject } from '../chat/read-reply.ts'
import { chatFromMessages } from './chat-request.ts'
import { requestOf } from './message-streams.fixture.ts'

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const text = (value: string) => ({ type: 'text', text: value })
const hello = { messages: [user('Hello')] }
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
const pngPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
const tool = { name: 'now', input_schema: { type: 'object', properties: {} } }

function translate(body: object, model: object = {}) {
  const rewrite = chatFromMessages(requestOf(body, model))
  if (!rewrite.ok) throw new Error(`${rewrite.code} ${rewrite.param}`)
  return rewrite.body
}

function messagesOf(...messages: unknown[]) {
  return translate({ messages: [...messages, user('Go on.')] }).messages
}

it('translates a plain request to a chat completion', () => {
  expect(translate({ ...hello, temperature: 0.5, top_p: 0.9, stop_sequences: ['END'], stream: true })).toEqual({
    model: 'acme/fast',
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    stop: ['END'],
    stream: true,
  })
})

it('uses the name of the token limit that OpenAI`s models require', () => {
  const model = { id: 'openai/gpt', provider: 'openai' }
  const { body } = requestOf(hello)
  const request = { ...requestOf(hello), model: { ...requestOf(hello).model, ...model }, body }
  expect(chatFromMessages(request)).toMatchObject({ ok: true, body: { max_completion_tokens: 100 } })
})

it('names the model when the request only names fallbacks', () => {
  expect(translate({ ...hello, model: null, models: ['acme/fast'] })).toMatchObject({ model: 'acme/fast' })
})

it('omits defaults, and fields that only the gateway or a cache reads', () => {
  const idle = {
    system: null,
    stop_sequences: [],
    tools: [],
    metadata: {},
    thinking: null,
    output_config: {},
    cache_control: { type: 'ephemeral' },
    service_tier: 'auto',
    speed: 'standard',
    mcp_servers: [],
    top_k: null,
    models: ['acme/fast', 'acme/slow'],
  }
  const block = { ...text('Hello'), cache_control: { type: 'ephemeral' } }
  expect(translate({ messages: [user([block])], ...idle })).toEqual(translate(hello))
})

describe('to a model that supports cache hints', () => {
  const caching = { cache_write_per_mtok: '0.30' }
  const cache_control = { type: 'ephemeral' }
  const hinted = (value: string) => ({ ...text(value), cache_control })

  it('preserves the hints of the system prompt, messages, results and tools', () => {
    const use = { type: 'tool_use', id: 'a', name: 'now', input: {} }
    const result = { type: 'tool_result', tool_use_id: 'a' }
    const body = {
      system: [text('One.'), hinted('Two.')],
      tools: [{ ...tool, cache_control }],
      messages: [
        user([text('Look.'), { ...png, cache_control }]),
        assistant([hinted('I do.'), use]),
        user([{ ...result, content: 'noon', cache_control }]),
        assistant([use]),
        user([{ ...result, content: [text('It is'), hinted('night')] }, hinted('So?')]),
      ],
    }
    const { messages, tools } = translate(body, caching)
    expect(messages).toMatchObject([
      { role: 'system', content: [text('One.'), hinted('Two.')] },
      { role: 'user', content: [text('Look.'), { ...pngPart, cache_control }] },
      { role: 'assistant', content: [hinted('I do.')], tool_calls: [{ id: 'a' }] },
      { role: 'tool', content: [hinted('noon')] },
      { role: 'assistant', content: null },
      { role: 'tool', content: [hinted('It is\nnight')] },
      { role: 'user', content: [hinted('So?')] },
    ])
    expect(tools).toMatchObject([{ type: 'function', cache_control }])
    expect(JSON.stringify(translate(body))).not.toContain('cache_control')
  })

  it('places a hint at the end of the conversation when the whole request is to be cached', () => {
    const messages = [user('Hello'), assistant('Hi'), user([text('Who'), text('are you?')])]
    expect(translate({ messages, cache_control }, caching).messages).toEqual([
      ...messages.slice(0, 2),
      user([text('Who'), hinted('are you?')]),
    ])
    expect(translate({ ...hello, cache_control }, caching).messages).toEqual([user([hinted('Hello')])])
  })

  it.each<[string, object]>([
    ['cache_control.ttl', { cache_control: { ...cache_control, ttl: '1h' } }],
    ['system.0.cache_control.ttl', { system: [{ ...hinted('a'), cache_control: { ttl: '1h' } }] }],
    ['tools.0.cache_control.ttl', { tools: [{ ...tool, cache_control: { ttl: '1h' } }] }],
    [
      'messages.0.content.0.cache_control.ttl',
      { messages: [user([{ ...hinted('a'), cache_control: { ttl: '1h' } }])] },
    ],
  ])('refuses a cache lifetime that costs more, naming %s', (param, body) => {
    expect(chatFromMessages(requestOf({ ...hello, ...body }, caching))).toMatchObject({
      ok: false,
      code: 'unsupported_parameter',
      param,
    })
    expect(chatFromMessages(requestOf({ ...hello, ...body })).ok).toBe(true)
  })
})

it('passes on top_k, which OpenAI does not have', () => {
  expect(translate({ ...hello, top_k: 5 })).toMatchObject({ top_k: 5 })
  const request = requestOf({ ...hello, top_k: 5 })
  const toOpenAi = { ...request, model: { ...request.model, strictMessages: true } }
  expect(chatFromMessages(toOpenAi)).toMatchObject({ ok: false, code: 'unsupported_parameter', param: 'top_k' })
})

it('returns a call with the signature of Google', () => {
  const extra_content = { google: { thought_signature: 'AY89' } }
  const use = { type: 'tool_use', id: 'a', name: 'now', input: {}, extra_content }
  expect(messagesOf(assistant([use]), user([{ type: 'tool_result', tool_use_id: 'a' }]))).toMatchObject([
    { tool_calls: [{ id: 'a', extra_content }] },
    { role: 'tool' },
    { role: 'user' },
  ])
})

it('passes on the id of the user', () => {
  expect(translate({ ...hello, metadata: { user_id: 'u1' } })).toMatchObject({ user: 'u1' })
})

describe('messages', () => {
  it('begin with the system prompt, a string or blocks', () => {
    expect(translate({ ...hello, system: 'Be brief.' }).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ])
    expect(translate({ ...hello, system: [text('One.'), text('Two.')] }).messages).toContainEqual({
      role: 'system',
      content: 'One.\n\nTwo.',
    })
    expect(messagesOf(user('a'), { role: 'system', content: 'From now on, in French.' })).toContainEqual({
      role: 'system',
      content: 'From now on, in French.',
    })
  })

  it('include images, embedded or linked', () => {
    const linked = { type: 'image', source: { type: 'url', url: 'https://img.test/a.png' } }
    expect(messagesOf(user([text('See'), png, linked]))).toContainEqual({
      role: 'user',
      content: [text('See'), pngPart, { type: 'image_url', image_url: { url: 'https://img.test/a.png' } }],
    })
  })

  it('include documents: files as files, text as text', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }
    const documents = [
      { type: 'document', source: pdf, title: 'a.pdf', context: 'A report.' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Words.' }, title: 'T' },
      { type: 'document', source: { type: 'content', content: [text('More.'), png] } },
      { type: 'search_result', title: 'R', source: 'https://r.test', content: [text('Found.')] },
    ]
    expect(messagesOf(user(documents))).toContainEqual({
      role: 'user',
      content: [
        text('A report.'),
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
        text('T\nWords.'),
        text('More.'),
        pngPart,
        text('R\nhttps://r.test\nFound.'),
      ],
    })
  })

  it('include tool calls and their results, several at once', () => {
    const call = (id: string, input: object) => ({ type: 'tool_use', id, name: 'now', input })
    const result = (id: string, more: object) => ({ type: 'tool_result', tool_use_id: id, ...more })
    const messages = messagesOf(
      user('What time is it?'),
      assistant([
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'redacted_thinking', data: 'x' },
        text('I look.'),
        call('t1', { zone: 'UTC' }),
        call('t2', {}),
      ]),
      user([result('t1', { content: 'noon' }), result('t2', { content: [text('no'), text('clock')], is_error: true })]),
      assistant([call('t3', {})]),
      user([result('t3', {}), text('And?')]),
    )
    const now = (args: string) => ({ type: 'function', function: { name: 'now', arguments: args } })
    const chatCall = (id: string, args: string) => ({ id, ...now(args) })
    expect(messages).toEqual([
      { role: 'user', content: 'What time is it?' },
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Hm.',
        tool_calls: [chatCall('t1', '{"zone":"UTC"}'), chatCall('t2', '{}')],
      },
      { role: 'tool', tool_call_id: 't1', content: 'noon' },
      { role: 'tool', tool_call_id: 't2', content: 'Error: no\nclock' },
      { role: 'assistant', content: null, tool_calls: [chatCall('t3', '{}')] },
      { role: 'tool', tool_call_id: 't3', content: '' },
      { role: 'user', content: 'And?' },
      { role: 'user', content: 'Go on.' },
    ])
  })

  it('move images of a result into the user message after all results', () => {
    const results = [
      { type: 'tool_result', tool_use_id: 't1', content: [text('Here:'), png] },
      { type: 'tool_result', tool_use_id: 't2', content: 'ok' },
    ]
    expect(messagesOf(user(results))).toEqual([
      { role: 'tool', tool_call_id: 't1', content: 'Here:' },
      { role: 'tool', tool_call_id: 't2', content: 'ok' },
      { role: 'user', content: [text('From the result of the tool call t1:'), pngPart] },
      { role: 'user', content: 'Go on.' },
    ])
  })
})

describe('tools', () => {
  it('become functions', () => {
    const full = {
      ...tool,
      type: 'custom',
      description: 'The time.',
      strict: true,
      cache_control: { type: 'ephemeral' },
    }
    const more = {
      eager_input_streaming: true,
      defer_loading: false,
      allowed_callers: ['direct'],
      input_examples: null,
    }
    expect(translate({ ...hello, tools: [tool, { ...full, ...more }] }).tools).toEqual([
      { type: 'function', function: { name: 'now', parameters: tool.input_schema } },
      {
        type: 'function',
        function: { name: 'now', description: 'The time.', parameters: tool.input_schema, strict: true },
      },
    ])
  })

  it.each([
    [{ type: 'auto' }, { tool_choice: 'auto' }],
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [{ type: 'tool', name: 'now' }, { tool_choice: { type: 'function', function: { name: 'now' } } }],
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
    [
      { type: 'any', disable_parallel_tool_use: false },
      { tool_choice: 'required', parallel_tool_calls: true },
    ],
  ])('with tool_choice %j are chosen by %j', (tool_choice, expected) => {
    const { tools: _, ...rest } = translate({ ...hello, tools: [tool], tool_choice })
    expect(rest).toEqual({ ...translate(hello), ...expected })
  })
})

describe('the answer', () => {
  const reasoning = { capabilities: ['chat', 'reasoning'] }

  it.each<[object, object, unknown]>([
    [{ thinking: { type: 'enabled', budget_tokens: 1_024 } }, {}, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 4_096 } }, {}, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 4_097 } }, {}, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 16_385 } }, {}, 'high'],
    [{ thinking: { type: 'enabled', budget_tokens: 1_024 }, output_config: { effort: 'high' } }, {}, 'high'],
    [{ thinking: { type: 'adaptive' } }, {}, undefined],
    [{ thinking: { type: 'adaptive' } }, { capabilities: ['adaptive_thinking'] }, 'high'],
    [{}, { capabilities: ['adaptive_thinking'] }, undefined],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, {}, 'xhigh'],
    [{ output_config: { effort: 'low' } }, {}, 'low'],
    [{ thinking: { type: 'disabled' } }, reasoning, 'none'],
    [{ thinking: { type: 'disabled' } }, {}, undefined],
  ])('has the effort for thinking %j', (body, model, effort) => {
    expect(translate({ ...hello, ...body }, model).reasoning_effort).toBe(effort)
  })

  it.each<[object, boolean]>([
    [{ type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false }, true],
    [{ type: 'object', properties: { a: {} }, additionalProperties: false }, false],
    [{ type: 'object', properties: { a: { type: 'object' } }, required: ['a'], additionalProperties: false }, false],
    [{ type: 'array', items: { type: 'object', properties: {}, required: [], additionalProperties: false } }, true],
  ])('follows the schema %j, with strict mode %s', (schema, strict) => {
    const output_config = { format: { type: 'json_schema', schema } }
    expect(translate({ ...hello, output_config }).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict },
    })
  })
})

const withBlock = (block: object) => ({ messages: [user([block])] })
const withTool = (more: object) => ({ ...hello, tools: [{ ...tool, ...more }] })

it.each<[string, string, object]>([
  ['unsupported_parameter', 'service_tier', { service_tier: 'standard_only' }],
  ['unsupported_parameter', 'speed', { speed: 'fast' }],
  ['unsupported_parameter', 'container', { container: 'c1' }],
  ['unsupported_parameter', 'mcp_servers', { mcp_servers: [{ url: 'https://m.test' }] }],
  ['unsupported_parameter', 'anything_new', { anything_new: false }],
  ['unsupported_parameter', 'metadata.team', { metadata: { team: 'a' } }],
  ['unsupported_parameter', 'thinking.type', { thinking: { type: 'between_tools' } }],
  ['invalid_request', 'thinking.budget_tokens', { thinking: { type: 'enabled' } }],
  ['unsupported_parameter', 'output_config.effort', { output_config: { effort: 'heroic' } }],
  ['unsupported_parameter', 'output_config.mood', { output_config: { mood: 'good' } }],
  ['unsupported_parameter', 'output_config.format.type', { output_config: { format: { type: 'grammar' } } }],
  ['invalid_request', 'output_config.format.schema', { output_config: { format: { type: 'json_schema' } } }],
  ['invalid_request', 'max_tokens', { max_tokens: 0 }],
  ['unsupported_tool', 'tools.0.type', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  ['unsupported_tool', 'tools.1.type', { tools: [tool, { type: 'computer_20250124', name: 'computer' }] }],
  ['unsupported_tool', 'tools.0.type', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
  ['invalid_request', 'tools.0.name', withTool({ name: 7 })],
  ['invalid_request', 'tools.0.input_schema', withTool({ input_schema: null })],
  ['unsupported_parameter', 'tools.0.defer_loading', withTool({ defer_loading: true })],
  ['unsupported_parameter', 'tools.0.allowed_callers', withTool({ allowed_callers: ['code_execution_20260120'] })],
  ['unsupported_parameter', 'tool_choice.type', { tools: [tool], tool_choice: { type: 'maybe' } }],
  ['invalid_request', 'tool_choice.name', { tools: [tool], tool_choice: { type: 'tool' } }],
  ['unsupported_parameter', 'system.1.type', { system: [text('a'), png] }],
  ['invalid_request', 'messages.0.content.0.text', withBlock({ type: 'text' })],
  ['unsupported_parameter', 'messages.0.content.0.type', withBlock({ type: 'container_upload', file_id: 'f' })],
  ['unsupported_parameter', 'messages.0.content.0.source.type', withBlock({ ...png, source: { type: 'file' } })],
  [
    'invalid_request',
    'messages.0.content.0.source.media_type',
    withBlock({ ...png, source: { ...png.source, media_type: 'image/png;x=,' } }),
  ],
  ['unsupported_parameter', 'messages.0.content.0.transformations', withBlock({ ...png, transformations: {} })],
  [
    'unsupported_parameter',
    'messages.0.content.0.source.url',
    withBlock({ type: 'document', source: { type: 'url', url: 'http://d.test' } }),
  ],
  [
    'unsupported_parameter',
    'messages.0.content.0.citations',
    withBlock({ type: 'document', source: { type: 'text', data: 'x' }, citations: { enabled: true } }),
  ],
  ['invalid_request', 'messages.0.content.0.tool_use_id', withBlock({ type: 'tool_result' })],
  [
    'unsupported_parameter',
    'messages.0.content.0.content.0.type',
    withBlock({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'tool_reference', tool_name: 'x' }] }),
  ],
  [
    'unsupported_parameter',
    'messages.0.content.0.type',
    { messages: [assistant([{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }]), user('x')] },
  ],
  ['unsupported_parameter', 'messages.1.role', { messages: [user('x'), assistant('{')] }],
])('refuses as %s, naming %s', (code, param, body) => {
  const refused = chatFromMessages(requestOf({ ...hello, ...body }))
  expect(refused).toMatchObject({ ok: false, code, param })
})

it('preserves every digit of a call`s input', () => {
  const input = '{"id":12345678901234567890,"ratio":1.0}'
  const request = requestOf({
    messages: [user('Hi'), assistant([{ type: 'tool_use', id: 'a', name: 'f', input: 'X' }]), user('So?')],
  })
  const bytes = Buffer.from(request.bytes.toString().replace('"X"', input))
  const read = readObject(bytes)
  if (read === null) throw new Error('not a JSON object')
  const rewrite = chatFromMessages({ ...request, bytes, ...read })
  expect(rewrite).toMatchObject({
    ok: true,
    body: { messages: [{}, { tool_calls: [{ function: { arguments: input } }] }, {}] },
  })
})

it('ignores beta features that change nothing, and refuses the others', () => {
  const asking = (anthropicBeta: string) => chatFromMessages({ ...requestOf(hello), hints: { anthropicBeta } })
  expect(asking('interleaved-thinking-2025-05-14')).toMatchObject({ ok: true })
  expect(asking('files-api-2025-04-14')).toMatchObject({ ok: false, param: 'anthropic-beta' })
})

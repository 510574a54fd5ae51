import fc from 'fast-check'
import { modelOf } from '../../catalog/catalog.fixture.ts'
import { Refusal } from '../../wire/refusal.ts'
import { plainCallId } from '../plain-call-id.ts'
import { convertRequest } from './convert-request.ts'

const model = modelOf()
const adaptive = modelOf({ capabilities: ['chat', 'streaming', 'reasoning', 'adaptive_thinking'] })
const messages = [{ role: 'user', content: 'Hi' }]
const turn = (content: unknown) => [{ role: 'user', content }]

const convert = (body: object, target = model, stream = false) =>
  convertRequest({ model: target, body: { model: 'acme/fast', messages, ...body }, stream })

function refusalOf(body: object, target = model) {
  try {
    convert(body, target)
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, param: error.param, message: error.message }
    throw error
  }
  throw new Error('it was not refused')
}

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    strict: true,
  },
}
const called = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})

describe('convertRequest', () => {
  it('uses the provider`s name of the model, and the model`s token limit when the request has none', () => {
    expect(convert({})).toEqual({
      model: 'fast',
      max_tokens: model.maxOutputTokens,
      messages: turn([{ type: 'text', text: 'Hi' }]),
    })
  })

  it('passes on limits, sampling, stops, the user and the stream flag', () => {
    const body = {
      max_tokens: 90,
      max_completion_tokens: 80,
      temperature: 0,
      top_p: 0.5,
      top_k: 3,
      stop: 'END',
      user: 'user-1',
    }
    expect(convert(body, model, true)).toMatchObject({
      max_tokens: 80,
      temperature: 0,
      top_p: 0.5,
      top_k: 3,
      stop_sequences: ['END'],
      metadata: { user_id: 'user-1' },
      stream: true,
    })
    expect(convert({ max_tokens: 90, stop: ['a', 'b'] })).toMatchObject({ max_tokens: 90, stop_sequences: ['a', 'b'] })
  })

  it('accepts parameters without effect, and null for every parameter', () => {
    const harmless = {
      n: 1,
      logprobs: false,
      top_logprobs: 0,
      logit_bias: {},
      presence_penalty: 0,
      frequency_penalty: 0,
      temperature: 1,
      top_p: 1,
      store: false,
      metadata: { run: '7' },
      service_tier: 'auto',
      stream_options: { include_usage: true },
      models: ['acme/fast'],
      parallel_tool_calls: true,
      tool_choice: 'auto',
      response_format: { type: 'text' },
    }
    expect(convert(harmless)).toEqual(convert({}))
    const nulls = ['temperature', 'stop', 'tools', 'tool_choice', 'response_format', 'user', 'seed', 'n', 'max_tokens']
    expect(convert(Object.fromEntries(nulls.map((name) => [name, null])))).toEqual(convert({}))
  })

  it.each([
    ['n', 2],
    ['logprobs', true],
    ['logit_bias', { 50256: -100 }],
    ['seed', 7],
    ['audio', { voice: 'alloy', format: 'wav' }],
    ['modalities', ['text', 'audio']],
    ['presence_penalty', 0.5],
    ['service_tier', 'priority'],
    ['store', true],
    ['prediction', { type: 'content', content: 'x' }],
    ['web_search_options', {}],
    ['functions', []],
    ['something_new', 1],
  ])('refuses %s and names it', (name, value) => {
    expect(refusalOf({ [name]: value })).toMatchObject({ code: 'unsupported_parameter', param: name })
  })
})

describe('messages', () => {
  it('separates system messages and merges consecutive messages of one role', () => {
    const { system, messages: turns } = convert({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }] },
        { role: 'user', content: 'One' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Two' },
            { type: 'text', text: '' },
          ],
        },
        { role: 'assistant', content: 'Three' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }], reasoning_content: 'Hm.' },
        { role: 'user', content: 'Four' },
      ],
    })
    expect(system).toEqual([
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } },
    ])
    const text = (...texts: string[]) => texts.map((each) => ({ type: 'text', text: each }))
    expect(turns).toEqual([
      { role: 'user', content: text('One', 'Two') },
      { role: 'assistant', content: text('Three', 'No.') },
      { role: 'user', content: text('Four') },
    ])
  })

  it('turns parallel calls and their results into one message each, with all digits of their arguments', () => {
    const { messages: turns } = convert({
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: null,
          tool_calls: [called('call_1', 'find', '{"id":12345678901234567890}'), called('functions.now:1', 'now', '')],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Found.' },
        { role: 'tool', tool_call_id: 'functions.now:1', name: 'now', content: '' },
        { role: 'user', content: 'And?' },
      ],
    })
    const id = plainCallId('functions.now:1')
    expect(id).not.toMatch(/[^\w-]/)
    expect(JSON.stringify(turns)).toBe(
      JSON.stringify([
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_1', name: 'find', input: 'INPUT' },
            { type: 'tool_use', id, name: 'now', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'Found.' }] },
            { type: 'tool_result', tool_use_id: id },
            { type: 'text', text: 'And?' },
          ],
        },
      ]).replace('"INPUT"', '{"id":12345678901234567890}'),
    )
  })

  it('takes images from data and https URLs', () => {
    const part = (url: string, more = {}) => ({ type: 'image_url', image_url: { url, ...more } })
    const content = [part('data:image/png;base64,aGk='), part('https://a.test/b.jpg', { detail: 'high' })]
    expect(convert({ messages: turn(content) }).messages).toEqual(
      turn([
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
        { type: 'image', source: { type: 'url', url: 'https://a.test/b.jpg' } },
      ]),
    )
  })

  it.each<[string, unknown, string, string]>([
    ['an unknown role', [{ role: 'function', content: 'x' }], 'unsupported_parameter', 'messages.0.role'],
    ['a name', [{ role: 'user', name: 'Ann', content: 'x' }], 'unsupported_parameter', 'messages.0.name'],
    [
      'a lower detail',
      turn([image('https://a.test/b', 'low')]),
      'unsupported_parameter',
      'messages.0.content.0.image_url.detail',
    ],
    ['an http image', turn([image('http://a.test/b')]), 'invalid_request', 'messages.0.content.0.image_url.url'],
    [
      'an svg',
      turn([image('data:image/svg+xml;base64,aGk=')]),
      'unsupported_parameter',
      'messages.0.content.0.image_url.url',
    ],
    ['sound', turn([{ type: 'input_audio', input_audio: {} }]), 'unsupported_parameter', 'messages.0.content.0.type'],
    [
      'a file without data',
      turn([{ type: 'file', file: {} }]),
      'invalid_request',
      'messages.0.content.0.file.file_data',
    ],
    [
      'a file of another type',
      turn([{ type: 'file', file: { file_data: 'data:audio/wav;base64,AA==' } }]),
      'unsupported_parameter',
      'messages.0.content.0.file.file_data',
    ],
    [
      'a stored file',
      turn([{ type: 'file', file: { file_id: 'f1' } }]),
      'unsupported_parameter',
      'messages.0.content.0.file.file_id',
    ],
    [
      'an image of the system`s',
      [{ role: 'system', content: [image('https://a.test/b')] }],
      'unsupported_parameter',
      'messages.0.content.0.type',
    ],
    [
      'a cache of an hour',
      turn([{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }]),
      'unsupported_parameter',
      'messages.0.content.0.cache_control.ttl',
    ],
    ['a result without an id', [{ role: 'tool', content: 'x' }], 'invalid_request', 'messages.0.tool_call_id'],
    ['a message that is none', ['x'], 'invalid_request', 'messages.0'],
  ])('refuses %s', (_name, sent, code, param) => {
    expect(refusalOf({ messages: sent })).toMatchObject({ code, param })
  })
})

describe('tools', () => {
  const tools = [weather, { type: 'function', function: { name: 'now' } }]

  it('converts functions', () => {
    expect(convert({ tools }).tools).toEqual([
      {
        name: 'get_weather',
        description: 'Tells the weather.',
        input_schema: weather.function.parameters,
        strict: true,
      },
      { name: 'now', input_schema: { type: 'object' } },
    ])
  })

  it.each([
    ['auto', undefined, { type: 'auto' }],
    ['none', true, { type: 'none' }],
    ['required', undefined, { type: 'any' }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    [{ type: 'function', function: { name: 'now' } }, undefined, { type: 'tool', name: 'now' }],
    [undefined, true, { type: 'auto', disable_parallel_tool_use: false }],
    [undefined, undefined, undefined],
  ])('converts the choice %j, parallel %j, to %j', (tool_choice, parallel_tool_calls, expected) => {
    expect(convert({ tools, tool_choice, parallel_tool_calls }).tool_choice).toEqual(expected)
  })

  it.each<[string, object, string, string]>([
    ['a tool of the provider`s', { tools: [{ type: 'web_search' }] }, 'unsupported_tool', 'tools.0.type'],
    ['a custom tool', { tools: [weather, { type: 'custom', custom: {} }] }, 'unsupported_tool', 'tools.1.type'],
    [
      'a choice among some',
      { tools, tool_choice: { type: 'allowed_tools' } },
      'unsupported_parameter',
      'tool_choice.type',
    ],
    ['a call that is demanded without a tool', { tool_choice: 'required' }, 'invalid_request', 'tool_choice'],
  ])('refuses %s', (_name, body, code, param) => {
    expect(refusalOf(body)).toMatchObject({ code, param })
  })
})

describe('response_format', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }

  it('passes a schema on', () => {
    const response_format = {
      type: 'json_schema',
      json_schema: { name: 'reply', description: 'A reply.', strict: true, schema },
    }
    expect(convert({ response_format }).output_config).toEqual({
      format: { type: 'json_schema', schema: { description: 'A reply.', ...schema } },
    })
  })

  it('refuses JSON without a schema, which Anthropic does not have', () => {
    expect(refusalOf({ response_format: { type: 'json_object' } })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'response_format.type',
    })
  })
})

describe('reasoning_effort', () => {
  it.each([
    ['minimal', 'low'],
    ['low', 'low'],
    ['medium', 'medium'],
    ['high', 'high'],
    ['xhigh', 'xhigh'],
  ])('%s is the effort %s of a model with adaptive thinking', (reasoning_effort, effort) => {
    const { thinking, output_config } = convert({ reasoning_effort }, adaptive)
    expect({ thinking, output_config }).toEqual({ thinking: { type: 'adaptive' }, output_config: { effort } })
  })

  it.each([
    ['low', 10_000, 2_000],
    ['high', 10_000, 8_000],
    ['low', 1_025, 1_024],
    ['max', 1_100, 1_045],
  ])(
    '%s of %d tokens is a budget of %d for a model that requires one',
    (reasoning_effort, max_tokens, budget_tokens) => {
      expect(convert({ reasoning_effort, max_tokens }).thinking).toEqual({ type: 'enabled', budget_tokens })
    },
  )

  it('none disables thinking where it is the default', () => {
    expect(convert({ reasoning_effort: 'none' }, adaptive).thinking).toEqual({ type: 'disabled' })
    expect(convert({ reasoning_effort: 'none' })).toEqual(convert({}))
  })

  it('passes Anthropic`s own thinking parameter on unchanged', () => {
    const thinking = { type: 'enabled', budget_tokens: 2_000 }
    expect(convert({ thinking }).thinking).toEqual(thinking)
  })

  it.each<[string, object, string]>([
    ['an effort that is none', { reasoning_effort: 'huge' }, 'reasoning_effort'],
    ['no room to think', { reasoning_effort: 'low', max_tokens: 1_024 }, 'reasoning_effort'],
    ['both ways of saying it', { reasoning_effort: 'low', thinking: { type: 'adaptive' } }, 'thinking'],
    ['thinking that is no object', { thinking: 'yes' }, 'thinking'],
  ])('refuses %s', (_name, body, param) => {
    expect(refusalOf(body)).toMatchObject({ param })
  })
})

it('converts or refuses any body, and throws nothing else', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  const part = fc.record(
    { type: fc.constantFrom('text', 'image_url', 'refusal'), text: value, image_url: value, cache_control: value },
    { requiredKeys: ['type'] },
  )
  const message = fc.record(
    {
      role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
      content: fc.oneof(value, fc.array(part)),
      tool_calls: fc.oneof(value, fc.array(value)),
      tool_call_id: value,
    },
    { requiredKeys: ['role'] },
  )
  const body = fc.record(
    {
      messages: fc.oneof(value, fc.array(message)),
      tools: value,
      tool_choice: value,
      response_format: value,
      reasoning_effort: value,
      max_tokens: value,
      stop: value,
    },
    { requiredKeys: ['messages'] },
  )
  fc.assert(
    fc.property(body, (sent) => {
      try {
        JSON.stringify(convert(sent))
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal)
      }
    }),
    { numRuns: 500 },
  )
})

function image(url: string, detail?: string) {
  return { type: 'image_url', image_url: { url, ...(detail === undefined ? {} : { detail }) } }
}

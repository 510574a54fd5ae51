import { asList } from '@ratchet/service-kit/values/json'
import fc from 'fast-check'
import { catalogOf, modelEntry, modelOf } from '../../../catalog/catalog.fixture.ts'
import { readResponsesFacts } from '../../../surfaces/responses/check-request.ts'
import type { Body } from '../../dialect.ts'
import { responsesRequest } from '../request.fixture.ts'
import { responsesToChat } from './responses-to-chat.ts'

/** The chat body that a request is translated to. */
function chatOf(change: Body, model = modelOf()): Body {
  const rewrite = responsesToChat(responsesRequest(change, model))
  if (!rewrite.ok) throw new Error(`${rewrite.param}: ${rewrite.message}`)
  return rewrite.body
}

const openAiModel = () => {
  const model = catalogOf([modelEntry('openai/gpt')]).find('openai/gpt')
  if (model === null) throw new Error('the model is not in its own catalog')
  return model
}
const inputs = (...input: object[]) => ({ input })
const tool = { type: 'function', name: 'weather', description: 'd', parameters: { type: 'object' }, strict: true }

it('translates a text and its instructions to messages', () => {
  expect(chatOf({ instructions: 'Be brief.', input: 'hi' })).toEqual({
    model: 'acme/fast',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ],
  })
})

it('translates parts to parts, and a single text to a string', () => {
  const image = { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'low' }
  const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' }
  const text = { type: 'input_text', text: 'what is this?' }
  const { messages } = chatOf(inputs({ role: 'user', content: [text] }, { role: 'user', content: [text, image, file] }))
  expect(messages).toEqual([
    { role: 'user', content: 'what is this?' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'what is this?' },
        { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' } },
      ],
    },
  ])
})

it('passes on a link to a file', () => {
  const file = { type: 'input_file', file_url: 'https://x.test/a.pdf' }
  const { messages } = chatOf(inputs({ role: 'user', content: [file] }))
  expect(messages).toEqual([{ role: 'user', content: [{ type: 'file', file: { file_data: 'https://x.test/a.pdf' } }] }])
})

it('uses the role for developers that the model accepts', () => {
  const item = { role: 'developer', content: 'Be brief.' }
  expect(chatOf(inputs(item)).messages).toEqual([{ role: 'system', content: 'Be brief.' }])
  expect(chatOf(inputs(item), openAiModel()).messages).toEqual([{ role: 'developer', content: 'Be brief.' }])
})

it('joins calls and the text beside them into one message, before their outputs', () => {
  const call = (call_id: string) => ({
    type: 'function_call',
    id: `fc_${call_id}`,
    call_id,
    name: 'f',
    arguments: '{}',
  })
  const said = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
  const output = (call_id: string, value: unknown) => ({ type: 'function_call_output', call_id, output: value })
  const items = [
    { role: 'user', content: 'go' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    said('One '),
    call('a'),
    said('moment.'),
    call('b'),
    output('b', '2'),
    output('a', [{ type: 'input_text', text: '1' }]),
    said('Done.'),
  ]
  const chatCall = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
  expect(chatOf(inputs(...items)).messages).toEqual([
    { role: 'user', content: 'go' },
    { role: 'assistant', content: 'One moment.', tool_calls: [chatCall('a'), chatCall('b')] },
    { role: 'tool', tool_call_id: 'b', content: '2' },
    { role: 'tool', tool_call_id: 'a', content: '1' },
    { role: 'assistant', content: 'Done.' },
  ])
})

it('translates calls without text, and refusals', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
  const refusal = { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }
  expect(chatOf(inputs(call, { type: 'function_call_output', call_id: 'a', output: '' }, refusal)).messages).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: '' },
    { role: 'assistant', content: null, refusal: 'No.' },
  ])
})

it('sends back the members that a provider requires with a call', () => {
  const extra_content = { google: { thought_signature: 'c2ln' } }
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}', extra_content }
  const [message] = asList(chatOf(inputs(call)).messages)
  expect(message).toMatchObject({ tool_calls: [{ id: 'a', extra_content }] })
})

describe('reasoning before an answer', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'a', output: '1' }
  const thought = (text: string) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    content: [{ type: 'reasoning_text', text }],
  })

  it('is sent with the call or the text that it led to', () => {
    const said = { type: 'message', role: 'assistant', content: 'One.' }
    const items = [thought('A'), call, output, thought('B'), thought('C'), said, { role: 'user', content: 'go' }]
    expect(chatOf(inputs(...items)).messages).toMatchObject([
      { role: 'assistant', reasoning_content: 'A', tool_calls: [{}] },
      { role: 'tool' },
      { role: 'assistant', content: 'One.', reasoning_content: 'BC' },
      { role: 'user' },
    ])
  })

  it('is sent as its summary when it has no text', () => {
    const summarized = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'S' }] }
    expect(chatOf(inputs(summarized, call)).messages).toMatchObject([{ reasoning_content: 'S' }])
  })

  it('is left out when no answer follows it', () => {
    const messages = chatOf(inputs(thought('A'), { role: 'user', content: 'go' })).messages
    expect(messages).toEqual([{ role: 'user', content: 'go' }])
  })

  it.each([null, 'signed'] as const)('is left out for a model that takes %s', (historyReasoning) => {
    const messages = chatOf(inputs(thought('A'), call), { ...modelOf(), historyReasoning }).messages
    expect(JSON.stringify(messages)).not.toContain('"A"')
  })
})

it('sends back the reasoning of a turn with its calls', () => {
  const reasoning_details = [{ type: 'reasoning.text', text: 'Hm.', signature: 'c2ln' }]
  const call = (call_id: string, more: object) => ({
    type: 'function_call',
    call_id,
    name: 'f',
    arguments: '{}',
    ...more,
  })
  const said = { role: 'assistant', content: 'Looking.' }
  const items = [said, call('a', { reasoning_details }), call('b', {})]
  expect(chatOf(inputs(...items)).messages).toMatchObject([
    { content: 'Looking.', reasoning_details, tool_calls: [{}, {}] },
  ])
  expect(chatOf(inputs(...items.slice(1))).messages).toMatchObject([{ reasoning_details, tool_calls: [{}, {}] }])
})

it('places images and files of outputs after all outputs of the turn', () => {
  const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' })
  const output = (call_id: string, value: unknown) => ({ type: 'function_call_output', call_id, output: value })
  const items = [
    call('a'),
    call('b'),
    output('a', [
      { type: 'input_text', text: 'one' },
      { type: 'input_image', image_url: 'https://x.test/a', detail: 'low' },
      { type: 'input_text', text: 'two' },
    ]),
    output('b', [{ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' }]),
    { role: 'user', content: 'So?' },
  ]
  expect(asList(chatOf(inputs(...items)).messages).slice(1)).toEqual([
    { role: 'tool', tool_call_id: 'a', content: 'one\ntwo' },
    { role: 'tool', tool_call_id: 'b', content: '' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'From the output of the function call a:' },
        { type: 'image_url', image_url: { url: 'https://x.test/a', detail: 'low' } },
        { type: 'text', text: 'From the output of the function call b:' },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' } },
      ],
    },
    { role: 'user', content: 'So?' },
  ])
  expect(chatOf(inputs(...items.slice(0, 4))).messages).toHaveLength(4)
})

it('nests functions, and leaves strict mode to the model when it is absent', () => {
  const { type, ...definition } = tool
  expect(
    chatOf({ tools: [tool, { type, name: 'time', parameters: null, strict: null }], parallel_tool_calls: false }),
  ).toMatchObject({
    tools: [
      { type, function: definition },
      { type, function: { name: 'time' } },
    ],
    parallel_tool_calls: false,
  })
})

it.each<[unknown, unknown, string[]]>([
  ['auto', 'auto', ['weather', 'time']],
  ['none', 'none', ['weather', 'time']],
  ['required', 'required', ['weather', 'time']],
  [{ type: 'function', name: 'time' }, { type: 'function', function: { name: 'time' } }, ['weather', 'time']],
  [{ type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'time' }] }, 'required', ['time']],
])('translates the tool choice %j', (tool_choice, expected, offered) => {
  const chat = chatOf({ tools: [tool, { ...tool, name: 'time' }], tool_choice })
  expect(chat.tool_choice).toEqual(expected)
  expect((chat.tools as { function: { name: string } }[]).map((each) => each.function.name)).toEqual(offered)
})

it('translates every setting that has an equivalent', () => {
  const schema = { name: 'answer', schema: { type: 'object' }, strict: true }
  expect(
    chatOf({
      stream: true,
      temperature: 0,
      top_p: 0.5,
      user: 'u',
      max_output_tokens: 50,
      text: { format: { type: 'json_schema', ...schema }, verbosity: 'low' },
      reasoning: { effort: 'low', summary: 'auto' },
      top_logprobs: 3,
    }),
  ).toEqual({
    model: 'acme/fast',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
    temperature: 0,
    top_p: 0.5,
    user: 'u',
    max_tokens: 50,
    response_format: { type: 'json_schema', json_schema: schema },
    verbosity: 'low',
    reasoning_effort: 'low',
    logprobs: true,
    top_logprobs: 3,
  })
})

it('omits fields that only the gateway or OpenAI reads', () => {
  const ours = { store: true, previous_response_id: 'resp_1', metadata: { a: 'b' }, max_tool_calls: 3, models: ['m'] }
  const hints = { prompt_cache_key: 'k', safety_identifier: 's' }
  const harmless = {
    truncation: 'disabled',
    include: ['reasoning.encrypted_content'],
    background: false,
    text: { format: { type: 'text' } },
  }
  const change = { ...ours, ...hints, ...harmless, stream_options: { include_obfuscation: false } }
  expect(chatOf(change)).toEqual({ model: 'acme/fast', messages: [{ role: 'user', content: 'hi' }] })
  expect(chatOf(change, openAiModel())).toMatchObject(hints)
})

it('uses the name of the token limit that the model accepts', () => {
  const limit = { max_output_tokens: 50 }
  expect(chatOf(limit, openAiModel())).toMatchObject({ max_completion_tokens: 50 })
  expect(chatOf(limit, modelOf({ unsupported_parameters: ['max_tokens'] }))).toMatchObject({
    max_completion_tokens: 50,
  })
  expect(chatOf(limit, modelOf())).toMatchObject({ max_tokens: 50 })
})

it.each<[string, Body, string, string]>([
  ['an unknown parameter', { seed: 1 }, 'unsupported_parameter', 'seed'],
  ['truncation', { truncation: 'auto' }, 'unsupported_parameter', 'truncation'],
  ['a format', { text: { format: { type: 'grammar' } } }, 'unsupported_parameter', 'text.format.type'],
  ['a summary', { reasoning: { summary: 'detailed' } }, 'unsupported_parameter', 'reasoning.summary'],
  ['a custom tool', { tools: [tool, { type: 'custom', name: 'grep' }] }, 'unsupported_tool', 'tools.1.type'],
  [
    'a custom choice',
    { tools: [tool], tool_choice: { type: 'custom', name: 'grep' } },
    'unsupported_tool',
    'tool_choice.type',
  ],
  ['a deferred tool', { tools: [{ ...tool, defer_loading: true }] }, 'unsupported_parameter', 'tools.0.defer_loading'],
  [
    'a link to a file that is not https',
    inputs({ role: 'user', content: [{ type: 'input_file', file_url: 'http://x.test/a.pdf' }] }),
    'unsupported_parameter',
    'input.0.content.0.file_url',
  ],
  [
    'a compacted context',
    inputs({ type: 'compaction', encrypted_content: 'x' }),
    'unsupported_parameter',
    'input.0.type',
  ],
])('refuses %s and names it', (_name, change, code, param) => {
  readResponsesFacts({ model: 'acme/fast', input: 'hi', ...change })
  expect(responsesToChat(responsesRequest(change))).toMatchObject({ ok: false, code, param })
})

it('never throws for a checked body, and writes JSON', () => {
  const keys = fc.constantFrom(
    'tools',
    'tool_choice',
    'text',
    'reasoning',
    'include',
    'input',
    'instructions',
    'truncation',
  )
  fc.assert(
    fc.property(fc.dictionary(keys, fc.jsonValue()), (change) => {
      // A body with that key is refused before it is translated.
      fc.pre(!JSON.stringify(change).includes('__proto__'))
      const rewrite = responsesToChat(responsesRequest(change as Body))
      if (rewrite.ok) expect(JSON.parse(JSON.stringify(rewrite.body))).toEqual(rewrite.body)
    }),
  )
})

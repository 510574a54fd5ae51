import type { CapturedDialect, CapturedExchange } from '@ratchet/contracts/captured-exchange'
import { capturedExchange } from './captured.fixture.ts'
import { readCapture } from './read-capture.ts'

const id = '00000000-0000-7000-8000-0000000000cc'

function captured(dialect: CapturedDialect, request: object, reply: object): CapturedExchange {
  const { meta } = capturedExchange(1, { meta: { dialect } })
  return { meta, request: Buffer.from(JSON.stringify(request)), reply: Buffer.from(JSON.stringify(reply)) }
}
const read = (dialect: CapturedDialect, request: object, reply: object) =>
  readCapture(captured(dialect, request, reply), id)

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const weather = { type: 'function', function: { name: 'get_weather', description: 'W', parameters: schema } }
const call = { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }
const conversation = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather in Oslo?' },
  { role: 'assistant', content: 'I look.', reasoning_content: 'It is in Norway.', tool_calls: [call] },
  { role: 'tool', content: '4 degrees', tool_call_id: 'c1' },
  { role: 'user', content: 'In Fahrenheit, please.' },
]

describe('an exchange of the Messages API', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } }
  const request = {
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    max_tokens: 64,
    stop_sequences: ['END'],
    output_config: { effort: 'low', format: { type: 'json_schema', schema } },
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    tools: [{ name: 'get_weather', description: 'W', input_schema: schema }],
    messages: [
      { role: 'user', content: 'Weather in Oslo?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'It is in Norway.', signature: 's' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Oslo' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '4 degrees' }] },
          { type: 'text', text: 'In Fahrenheit, please.' },
        ],
      },
    ],
  }
  const reply = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: '39.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, cache_creation_input_tokens: 7, cache_read_input_tokens: 11, output_tokens: 3 },
  }

  it('has the form of a chat completion', () => {
    expect(read('messages', request, reply)).toMatchObject({
      finishReason: 'stop',
      promptTokens: 23,
      completionTokens: 3,
      content: {
        messages: conversation,
        response: { role: 'assistant', content: '39.' },
        tools: [weather],
        responseFormat: { type: 'json_schema', json_schema: { schema } },
        params: {
          max_tokens: 64,
          stop: ['END'],
          reasoning_effort: 'low',
          tool_choice: 'required',
          parallel_tool_calls: false,
        },
      },
    })
  })

  it('has the calls of its answer', () => {
    const content = [{ type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Oslo' } }]
    expect(read('messages', request, { ...reply, content, stop_reason: 'tool_use' })).toMatchObject({
      finishReason: 'tool_calls',
      content: { response: { role: 'assistant', content: null, tool_calls: [call] } },
    })
  })

  it('has the numbers of its calls and tools as they were written', () => {
    const numbers = '{"id":12345678901234567890,"share":1.10}'
    const exact = (value: object) => Buffer.from(JSON.stringify(value).replaceAll('"NUMBERS"', numbers))
    const use = { type: 'tool_use', id: 'c1', name: 'find', input: 'NUMBERS' }
    const { meta } = captured('messages', {}, {})
    const { content } = readCapture(
      {
        meta,
        request: exact({
          temperature: 0.5,
          tools: [{ name: 'find', input_schema: { properties: 'NUMBERS' } }],
          messages: [{ role: 'assistant', content: [use] }],
        }),
        reply: exact({ ...reply, content: [use], stop_reason: 'tool_use' }),
      },
      id,
    )
    const calls = [{ id: 'c1', type: 'function', function: { name: 'find', arguments: numbers } }]
    expect(content.messages).toMatchObject([{ role: 'assistant', tool_calls: calls }])
    expect(content.response).toMatchObject({ tool_calls: calls })
    expect(JSON.stringify(content.tools)).toContain(numbers)
    expect(content.params).toMatchObject({ temperature: 0.5 })
  })

  it('keeps images and documents, and what no chat completion has', () => {
    const unknown = { type: 'container_upload', file_id: 'f' }
    const document = { type: 'document', title: 'a.pdf', source: { ...image.source, media_type: 'application/pdf' } }
    const messages = [{ role: 'user', content: [image, document, unknown] }]
    expect(read('messages', { messages }, reply).content.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0=' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,iVBORw0=' } },
          unknown,
        ],
      },
    ])
  })

  it.each([
    ['a request without messages', {}, reply],
    ['an answer without content', request, { type: 'error' }],
  ])('is refused with %s', (_name, requested, replied) => {
    expect(() => read('messages', requested, replied)).toThrow(RangeError)
  })
})

describe('an exchange of the Responses API', () => {
  const request = {
    instructions: 'Be brief.',
    max_output_tokens: 64,
    reasoning: { effort: 'low' },
    text: { format: { type: 'json_schema', name: 'a', schema }, verbosity: 'low' },
    tool_choice: { type: 'function', name: 'get_weather' },
    tools: [{ type: 'function', name: 'get_weather', description: 'W', parameters: schema }, { type: 'web_search' }],
    input: [
      { role: 'user', content: 'Weather in Oslo?' },
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'It is in Norway.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', id: 'fc', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { type: 'function_call_output', call_id: 'c1', output: '4 degrees' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'In Fahrenheit, please.' }] },
    ],
  }
  const reply = {
    object: 'response',
    status: 'completed',
    instructions: 'Be brief.',
    output: [
      { type: 'reasoning', id: 'r2', summary: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '39.' }] },
    ],
    usage: { input_tokens: 5, output_tokens: 3, output_tokens_details: { reasoning_tokens: 2 } },
  }

  it('has the form of a chat completion', () => {
    expect(read('responses', request, reply)).toMatchObject({
      finishReason: 'stop',
      promptTokens: 5,
      completionTokens: 3,
      reasoningTokens: 2,
      content: {
        messages: conversation,
        response: { role: 'assistant', content: '39.' },
        tools: [weather, { type: 'web_search' }],
        responseFormat: { type: 'json_schema', json_schema: { name: 'a', schema } },
        params: {
          max_completion_tokens: 64,
          reasoning_effort: 'low',
          verbosity: 'low',
          tool_choice: { type: 'function', function: { name: 'get_weather' } },
        },
      },
    })
  })

  it('has all texts and calls of an answer in one message', () => {
    const output = [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
    ]
    expect(read('responses', { input: 'Hi' }, { ...reply, output })).toMatchObject({
      finishReason: 'tool_calls',
      content: {
        messages: [{ role: 'user', content: 'Hi' }],
        response: { role: 'assistant', content: 'I look.\n\nDone.', tool_calls: [call] },
      },
    })
  })

  it('names why its answer is incomplete', () => {
    const incomplete = { ...reply, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    expect(read('responses', request, incomplete)).toMatchObject({ finishReason: 'length' })
  })
})

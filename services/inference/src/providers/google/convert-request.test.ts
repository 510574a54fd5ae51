import fc from 'fast-check'
import { Refusal } from '../../wire/refusal.ts'
import { convertRequest } from './convert-request.ts'

const user = { role: 'user', content: 'Hi' }
const look = { type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } }

describe('convertRequest', () => {
  it('converts a conversation with calls and their results', () => {
    const calls = [
      { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } },
      { id: 'b', type: 'function', function: { name: 'now', arguments: '' } },
    ]
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'In French.' }] },
      user,
      { role: 'assistant', content: 'Let me see.', tool_calls: calls, refusal: null, reasoning_content: 'Hm.' },
      { role: 'tool', tool_call_id: 'b', content: 'noon' },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: '{"color":"blue"}' }] },
      { role: 'assistant', content: '', tool_calls: null },
      { role: 'user', content: 'Thanks' },
    ]
    expect(convert({ messages })).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'In French.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: [
            { text: 'Let me see.' },
            { functionCall: { id: 'a', name: 'look', args: { at: 'sky' } } },
            { functionCall: { id: 'b', name: 'now', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'b', name: 'now', response: { output: 'noon' } } },
            { functionResponse: { id: 'a', name: 'look', response: { output: '{"color":"blue"}' } } },
          ],
        },
        { role: 'user', parts: [{ text: 'Thanks' }] },
      ],
    })
  })

  it('separates the results of each round of calls', () => {
    const round = (id: string) => [
      { role: 'assistant', tool_calls: [{ id, function: { name: 'look', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: `seen ${id}` },
    ]
    const { contents } = convert({ messages: [user, ...round('a'), ...round('b')] })
    const responses = contents.map(
      ({ role, parts }: { role: string; parts: { functionResponse?: { id: string } }[] }) => [
        role,
        ...parts.flatMap(({ functionResponse }) => functionResponse?.id ?? []),
      ],
    )
    expect(responses).toEqual([['user'], ['model'], ['user', 'a'], ['model'], ['user', 'b']])
  })

  it('places the images in tool results after all of the results', () => {
    const messages = [
      user,
      { role: 'assistant', tool_calls: ['a', 'b'].map((id) => ({ id, function: { name: 'look', arguments: '' } })) },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [{ type: 'text', text: 'A map' }, image('data:image/png;base64,iVBO')],
      },
      { role: 'tool', tool_call_id: 'b', content: 'nothing' },
    ]
    expect(convert({ messages }).contents.slice(2)).toEqual([
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'look', response: { output: 'A map' } } },
          { functionResponse: { id: 'b', name: 'look', response: { output: 'nothing' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { text: 'From the result of the tool call a:' },
          { inlineData: { mimeType: 'image/png', data: 'iVBO' } },
        ],
      },
    ])
  })

  it.each([null, '', []])('skips a content of %j', (content) => {
    const messages = [
      { role: 'system', content },
      { role: 'user', content },
      { role: 'assistant', content, tool_calls: [{ id: 'a', function: { name: 'look', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'a', content },
      { role: 'assistant', content },
    ]
    const { contents, systemInstruction } = convert({ messages })
    expect(systemInstruction).toBeUndefined()
    expect(contents).toMatchObject([
      { role: 'user', parts: [{ text: '' }] },
      { role: 'model', parts: [{ functionCall: { id: 'a' } }] },
      { role: 'user', parts: [{ functionResponse: { response: { output: '' } } }] },
    ])
  })

  it('returns the signature of a call, and replaces a missing one that a newer model requires', () => {
    const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }
    const signed = { ...call, extra_content: { google: { thought_signature: 'AY89' } } }
    const signatures = (model: string, calls: readonly object[]) =>
      convert({ messages: [user, { role: 'assistant', tool_calls: calls }] }, model).contents[1].parts.map(
        (part: { thoughtSignature?: string }) => part.thoughtSignature,
      )
    expect(signatures('gemini-3.5-flash', [signed, call])).toEqual(['AY89', undefined])
    expect(signatures('gemini-3.5-flash', [call, call])).toEqual(['skip_thought_signature_validator', undefined])
    expect(signatures('gemini-2.5-pro', [call])).toEqual([undefined])
  })

  it('converts images, sound and files', () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/PNG;base64,iVBO', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.jpg?size=1', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
    ]
    const converted = convert({ messages: [{ role: 'user', content }] })
    expect(converted.contents[0].parts).toEqual([
      { text: 'What is this?' },
      { inlineData: { mimeType: 'image/png', data: 'iVBO' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a.jpg?size=1' } },
      { inlineData: { mimeType: 'audio/wav', data: 'UklG' } },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
    ])
    expect(converted.generationConfig).toEqual({ mediaResolution: 'MEDIA_RESOLUTION_LOW' })
  })

  it('converts a conversation with many parts', () => {
    const content = Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'a' }))
    expect(convert({ messages: [{ role: 'system', content }] }).systemInstruction.parts).toHaveLength(200_000)
  })

  it.each<[string, object | string | null, object | undefined]>([
    ['auto', 'auto', undefined],
    ['none', 'none', { mode: 'NONE' }],
    ['required', 'required', { mode: 'ANY' }],
    ['a function', { type: 'function', function: { name: 'look' } }, { mode: 'ANY', allowedFunctionNames: ['look'] }],
  ])('offers tools with the choice %s', (_name, tool_choice, expected) => {
    const converted = convert({ tools: [look], tool_choice })
    expect(converted.tools).toEqual([
      { functionDeclarations: [{ name: 'look', description: 'Looks.', parametersJsonSchema: { type: 'object' } }] },
    ])
    expect(converted.toolConfig?.functionCallingConfig).toEqual(expected)
  })

  it('restricts calls of a strict function to their schema', () => {
    const strict = { type: 'function', function: { ...look.function, strict: true } }
    expect(convert({ tools: [strict] }).toolConfig).toEqual({ functionCallingConfig: { mode: 'VALIDATED' } })
  })

  it('converts the generation settings', () => {
    const schema = { type: 'object', properties: { color: { type: 'string' } } }
    const converted = convert({
      max_tokens: 100,
      max_completion_tokens: 50,
      temperature: 0,
      top_p: 0.5,
      stop: 'END',
      seed: 7,
      presence_penalty: 0,
      frequency_penalty: 0.5,
      response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
      stream: true,
      stream_options: { include_usage: true },
      user: 'u-1',
      n: 1,
      logprobs: false,
      parallel_tool_calls: true,
    })
    expect(converted.generationConfig).toEqual({
      maxOutputTokens: 50,
      temperature: 0,
      topP: 0.5,
      stopSequences: ['END'],
      seed: 7,
      frequencyPenalty: 0.5,
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    })
    expect(Object.keys(converted)).toEqual(['contents', 'generationConfig'])
  })

  it.each([
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0, includeThoughts: false }],
    ['gemini-2.5-flash', 'medium', { thinkingBudget: 8_192, includeThoughts: true }],
    ['gemini-3.5-flash', 'minimal', { thinkingLevel: 'minimal', includeThoughts: true }],
    ['gemini-flash-latest', 'high', { thinkingLevel: 'high', includeThoughts: true }],
  ])('sets thinking of %s for effort %s', (model, reasoning_effort, expected) => {
    expect(convert({ reasoning_effort }, model).generationConfig.thinkingConfig).toEqual(expected)
  })

  it('accepts null for absent', () => {
    const nulls = ['n', 'stop', 'tools', 'tool_choice', 'response_format', 'reasoning_effort', 'logprobs', 'strange']
    expect(convert(Object.fromEntries(nulls.map((name) => [name, null]))).generationConfig).toEqual({})
  })

  it.each([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['logit_bias', { logit_bias: { 1: 1 } }],
    ['parallel_tool_calls', { parallel_tool_calls: false }],
    ['service_tier', { service_tier: 'priority' }],
    ['functions', { functions: [] }],
    ['web_search_options', { web_search_options: {} }],
    ['reasoning_effort', { reasoning_effort: 'none' }],
    ['response_format.type', { response_format: { type: 'grammar' } }],
    ['tool_choice.type', { tool_choice: { type: 'allowed_tools' } }],
    ['tools.0.type', { tools: [{ type: 'custom', custom: {} }] }],
    ['tools.0.function.x', { tools: [{ type: 'function', function: { name: 'a', x: 1 } }] }],
    ['messages.0.role', { messages: [{ role: 'function', content: '' }] }],
    ['messages.0.name', { messages: [{ ...user, name: 'Ann' }] }],
    ['messages.0.content.0.type', { messages: [{ role: 'system', content: [image('https://example.com/a.png')] }] }],
    ['messages.0.content.0.image_url.url', { messages: [says(image('http://example.com/a.png'))] }],
    ['messages.0.content.0.image_url.url', { messages: [says(image('gs://bucket/a.png'))] }],
    ['messages.0.content.0.image_url.url', { messages: [says(image('https://www.youtube.com/watch?v=a'))] }],
    [
      'messages.0.content.0.image_url.url',
      { messages: [says(image('https://generativelanguage.googleapis.com/v1beta/files/a'))] },
    ],
    [
      'messages.0.content.1.image_url.detail',
      { messages: [says(image('data:image/png;base64,'), image('data:image/png;base64,', 'high'))] },
    ],
    ['messages.0.content.0.file.file_id', { messages: [says({ type: 'file', file: { file_id: 'x' } })] }],
    [
      'messages.0.content.0.input_audio.format',
      { messages: [says({ type: 'input_audio', input_audio: { format: 'x' } })] },
    ],
  ])('refuses %s', (param, body) => {
    expect(() => convert(body)).toThrow(expect.objectContaining({ param, code: 'unsupported_parameter' }))
  })

  it.each([
    ['messages.0.tool_call_id', { messages: [{ role: 'tool', tool_call_id: 'x', content: '' }] }],
    ['messages.0.content', { messages: [{ role: 'user', content: 7 }] }],
    ['messages.0.content.0.text', { messages: [says({ type: 'text' })] }],
    ['messages.0.content.0.image_url.url', { messages: [says(image('data:image/png,raw'))] }],
    ['tools', { tools: {} }],
    ['tool_choice', { tool_choice: 'required' }],
  ])('reports %s as invalid', (param, body) => {
    expect(() => convert(body)).toThrow(expect.objectContaining({ param, code: 'invalid_request' }))
  })

  it('converts or refuses any JSON, and throws nothing else', () => {
    const any = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('text', 'function', 'json_schema', 'user', 'assistant', 'tool'),
    )
    const bag = (...names: string[]) =>
      fc.record(Object.fromEntries(names.map((name) => [name, any])), { requiredKeys: [] })
    const part = bag('type', 'text', 'image_url', 'input_audio', 'file')
    const call = fc.record({ id: any, function: bag('name', 'arguments') })
    const message = fc.record(
      {
        role: any,
        content: fc.oneof(any, fc.array(part)),
        tool_calls: fc.oneof(any, fc.array(call)),
        tool_call_id: any,
      },
      { requiredKeys: [] },
    )
    const body = fc.record(
      {
        messages: fc.array(message, { maxLength: 4 }),
        tools: fc.oneof(any, fc.array(fc.record({ function: bag('name', 'parameters', 'strict') }))),
        tool_choice: fc.oneof(any, bag('type', 'function')),
        response_format: fc.oneof(any, bag('type', 'json_schema')),
        reasoning_effort: any,
        stop: any,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(body, (each) => {
        try {
          convert(each)
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

function convert(body: object, model = 'gemini-3.5-flash') {
  return JSON.parse(convertRequest({ model: 'google/x', messages: [user], ...body }, model).toString())
}

function says(...content: object[]) {
  return { role: 'user', content }
}

function image(url: string, detail?: string) {
  return { type: 'image_url', image_url: { url, ...(detail === undefined ? {} : { detail }) } }
}

import fc from 'fast-check'
import { modelOf } from '../../catalog/catalog.fixture.ts'
import { convertRequest } from './convert-request.ts'

const user = { role: 'user', content: 'Why is the sky blue?' }
const asked = { role: 'user', content: [{ text: 'Why is the sky blue?' }] }
const weather = {
  type: 'function',
  function: { name: 'weather', description: 'Tells it.', parameters: { type: 'object', properties: {} } },
}
const weatherSpec = {
  toolSpec: { name: 'weather', description: 'Tells it.', inputSchema: { json: { type: 'object', properties: {} } } },
}

function convert(body: object, upstreamModel = 'amazon.nova-pro-v1:0') {
  return convertRequest({ body: { messages: [user], ...body }, model: modelOf({ upstream_model: upstreamModel }) })
}
function converted(body: object, upstreamModel?: string) {
  const conversion = convert(body, upstreamModel)
  if (!conversion.ok) throw conversion.refusal
  return conversion.body
}
function refusalOf(body: object, upstreamModel?: string) {
  const conversion = convert(body, upstreamModel)
  return conversion.ok ? null : [conversion.refusal.code, conversion.refusal.param]
}
const parts = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
const image = (image_url: object) => parts({ type: 'text', text: 'What is it?' }, { type: 'image_url', image_url })

describe('convertRequest', () => {
  it('adds nothing to a minimal request', () => {
    expect(converted({ model: 'bedrock/nova-pro', stream: true, user: 'u1', n: 1, temperature: null })).toEqual({
      messages: [asked],
    })
  })

  it('passes on the settings that all models share', () => {
    const body = { max_tokens: 5, max_completion_tokens: 9, temperature: 0, top_p: 0.5, stop: 'END' }
    expect(converted(body)).toMatchObject({
      inferenceConfig: { maxTokens: 9, temperature: 0, topP: 0.5, stopSequences: ['END'] },
    })
  })

  it('separates system messages, and alternates the other roles', () => {
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'weather', arguments: '{"id": 12345678901234567890}' },
    }
    const bare = { id: 'c2', type: 'function', function: { name: 'time', arguments: '' } }
    const messages = [
      { role: 'developer', content: 'Be brief.' },
      user,
      { role: 'user', content: [{ type: 'text', text: 'Say!' }] },
      { role: 'assistant', content: '', reasoning_content: 'Hm.', tool_calls: [call, bare], refusal: null },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'c2', content: '' },
      { role: 'system', content: [{ type: 'text', text: 'In English.' }] },
      { role: 'user', content: 'So?' },
    ]
    const { system, messages: turns } = converted({ messages, tools: [weather] })
    expect(system).toEqual([{ text: 'Be brief.' }, { text: 'In English.' }])
    expect(JSON.parse(JSON.stringify(turns))).toEqual([
      { role: 'user', content: [{ text: 'Why is the sky blue?' }, { text: 'Say!' }] },
      {
        role: 'assistant',
        content: [
          { toolUse: { toolUseId: 'c1', name: 'weather', input: { id: 12345678901234567000 } } },
          { toolUse: { toolUseId: 'c2', name: 'time', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'c1', content: [{ text: 'sunny' }] } },
          { toolResult: { toolUseId: 'c2', content: [] } },
          { text: 'So?' },
        ],
      },
    ])
    expect(JSON.stringify(turns)).toContain('{"id":12345678901234567890}')
  })

  it('cleans the ids of calls of other providers, and keeps them distinct', () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } })
    const ids = ['functions.weather:0', 'functions.weather.0', 'x'.repeat(65), 'tooluse_a-1']
    const messages = [
      user,
      { role: 'assistant', tool_calls: ids.map(call) },
      ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: id })),
    ]
    const [, called, answered] = converted({ messages, tools: [weather] }).messages
    const made = called?.content.map((block) => ('toolUse' in block ? block.toolUse.toolUseId : null)) ?? []
    expect(answered?.content.map((block) => ('toolResult' in block ? block.toolResult.toolUseId : null))).toEqual(made)
    expect(new Set(made).size).toBe(ids.length)
    for (const id of made) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(made[3]).toBe('tooluse_a-1')
  })

  it('includes images in the result of a tool', () => {
    const messages = [
      user,
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '' } }] },
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: [
          { type: 'text', text: 'A map:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
        ],
      },
    ]
    expect(converted({ messages, tools: [weather] }).messages[2]?.content).toEqual([
      {
        toolResult: {
          toolUseId: 'c1',
          content: [{ text: 'A map:' }, { image: { format: 'png', source: { bytes: 'iVBO' } } }],
        },
      },
    ])
  })

  it('leaves out empty content, which Bedrock refuses', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }
    const messages = [
      { role: 'system', content: ' ' },
      { role: 'user', content: '' },
      user,
      { role: 'assistant', content: '\n\n', refusal: '' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '\t' },
          { type: 'text', text: 'Well?' },
        ],
      },
      { role: 'assistant', content: '\n\n', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: null },
    ]
    const { system, messages: turns } = converted({ messages, tools: [weather] })
    expect(system).toBeUndefined()
    expect(turns).toEqual([
      { role: 'user', content: [...asked.content, { text: 'Well?' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'weather', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [] } }] },
    ])
  })

  it('sends images and documents that are in the body', () => {
    const body = parts(
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/', detail: 'auto' } },
      { type: 'file', file: { filename: 'Q3 report_final.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
      { type: 'file', file: { file_data: 'data:text/plain;charset=utf-8;base64,aGk=' } },
    )
    expect(converted(body).messages[0]?.content).toEqual([
      { image: { format: 'jpeg', source: { bytes: '/9j/' } } },
      { document: { format: 'pdf', name: 'Q3 report final 0 1', source: { bytes: 'JVBE' } } },
      { document: { format: 'txt', name: 'document 0 2', source: { bytes: 'aGk=' } } },
    ])
  })

  it.each([
    ['auto', { auto: {} }],
    ['required', { any: {} }],
    [{ type: 'function', function: { name: 'weather' } }, { tool: { name: 'weather' } }],
  ])('converts the tool choice %j', (tool_choice, toolChoice) => {
    expect(converted({ tools: [weather], tool_choice }).toolConfig).toEqual({ tools: [weatherSpec], toolChoice })
  })

  it('omits the tools when none may be used', () => {
    expect(converted({ tools: [weather], tool_choice: 'none' })).not.toHaveProperty('toolConfig')
    expect(converted({ tools: [], tool_choice: 'auto' })).not.toHaveProperty('toolConfig')
  })

  it('passes on the members of a tool that are present', () => {
    const tools = [{ type: 'function', function: { name: 'now', description: '', strict: true } }]
    expect(converted({ tools }).toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'now', inputSchema: { json: { type: 'object', properties: {} } }, strict: true } }],
    })
  })

  it('requests an answer that follows a schema', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } }
    const json_schema = { name: 'place', description: 'Where.', schema, strict: true }
    expect(converted({ response_format: { type: 'json_schema', json_schema } }).outputConfig).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { name: 'place', description: 'Where.', schema: JSON.stringify(schema) } },
      },
    })
    expect(converted({ response_format: { type: 'text' } })).not.toHaveProperty('outputConfig')
  })

  it.each([
    ['us.anthropic.claude-opus-4-8', 'high', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['anthropic.claude-sonnet-5', 'none', { thinking: { type: 'disabled' } }],
    ['us.amazon.nova-2-lite-v1:0', 'low', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }],
    ['openai.gpt-oss-120b-1:0', 'medium', { reasoning_effort: 'medium' }],
  ])('sets for %s the reasoning effort %s', (model, reasoning_effort, expected) => {
    expect(converted({ reasoning_effort }, model).additionalModelRequestFields).toEqual(expected)
  })

  it('sets cache points for Claude only', () => {
    const cache_control = { type: 'ephemeral' }
    const body = {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'A long story.', cache_control }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And?', cache_control },
            { type: 'text', text: 'Now?' },
          ],
        },
      ],
      tools: [{ ...weather, cache_control }],
    }
    const cachePoint = { type: 'default' }
    expect(converted(body, 'eu.anthropic.claude-haiku-4-5-20251001-v1:0')).toEqual({
      system: [{ text: 'A long story.' }, { cachePoint }],
      messages: [{ role: 'user', content: [{ text: 'And?' }, { cachePoint }, { text: 'Now?' }] }],
      toolConfig: { tools: [weatherSpec, { cachePoint }] },
    })
    expect(JSON.stringify(converted(body))).not.toContain('cachePoint')
  })

  it.each<[object, string]>([
    [{ n: 2 }, 'n'],
    [{ seed: 7 }, 'seed'],
    [{ logprobs: true }, 'logprobs'],
    [{ logit_bias: { 50256: -100 } }, 'logit_bias'],
    [{ frequency_penalty: 0.5 }, 'frequency_penalty'],
    [{ parallel_tool_calls: false }, 'parallel_tool_calls'],
    [{ service_tier: 'flex' }, 'service_tier'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ functions: [] }, 'functions'],
    [{ top_k: 40 }, 'top_k'],
    [{ additionalModelRequestFields: { top_k: 40 } }, 'additionalModelRequestFields'],
    [{ constructor: 1 }, 'constructor'],
    [{ response_format: { type: 'json_object' } }, 'response_format.type'],
    [{ reasoning_effort: 'high' }, 'reasoning_effort'],
    [{ tools: [{ type: 'web_search' }] }, 'tools.0.type'],
    [{ tools: [{ ...weather, function: { ...weather.function, cost: 1 } }] }, 'tools.0.function.cost'],
    [{ tools: [weather], tool_choice: { type: 'allowed_tools' } }, 'tool_choice.type'],
    [{ messages: [{ ...user, name: 'Ann' }] }, 'messages.0.name'],
    [{ messages: [user, { role: 'function', name: 'f', content: '' }] }, 'messages.1.role'],
    [{ messages: [{ role: 'assistant', audio: { id: 'a' } }] }, 'messages.0.audio'],
    [image({ url: 'https://example.com/cat.png' }), 'messages.0.content.1.image_url'],
    [image({ url: 'data:image/svg+xml;base64,PHN2' }), 'messages.0.content.1.image_url'],
    [image({ url: 'data:image/png;base64,iVBO', detail: 'low' }), 'messages.0.content.1.image_url.detail'],
    [parts({ type: 'input_audio', input_audio: { data: '' } }), 'messages.0.content.0.input_audio'],
    [parts({ type: 'video' }), 'messages.0.content.0.type'],
    [parts({ type: 'file', file: { file_id: 'f1' } }), 'messages.0.content.0.file.file_id'],
    [parts({ type: 'text', text: 'a', colour: 'red' }), 'messages.0.content.0.colour'],
  ])('refuses %j, which would be lost', (body, param) => {
    expect(refusalOf(body)).toEqual(['unsupported_parameter', param])
  })

  it('refuses a longer cache lifetime, which has another price', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' }
    expect(refusalOf(parts({ type: 'text', text: 'a', cache_control }), 'anthropic.claude-sonnet-5')).toEqual([
      'unsupported_parameter',
      'messages.0.content.0.cache_control.ttl',
    ])
  })

  it('brings the tools that the conversation used to a request without tools', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }
    const messages = [
      user,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ]
    const named = [{ toolSpec: expect.objectContaining({ name: 'weather' }) }]
    expect(converted({ messages }).toolConfig).toEqual({ tools: named })
    expect(converted({ messages, tools: [], tool_choice: 'none' }).toolConfig).toEqual({ tools: named })
  })

  it('sends signed reasoning back to Claude only, and not while it may not reason', () => {
    const format = 'anthropic-claude-v1'
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format, index: 0 },
      { type: 'reasoning.encrypted', data: 'AAAA', format, index: 1 },
    ]
    const messages = [user, { role: 'assistant', content: 'Blue.', reasoning_details }, user]
    const sentBack = (model: string, more: object = {}) => converted({ messages, ...more }, model).messages[1]?.content
    const claude = 'us.anthropic.claude-opus-4-8'
    expect(sentBack(claude, { reasoning_effort: 'low' })).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'AAAA' } },
      { text: 'Blue.' },
    ])
    expect(sentBack(claude, { reasoning_effort: 'none' })).toEqual([{ text: 'Blue.' }])
    expect(sentBack('amazon.nova-2-lite')).toEqual([{ text: 'Blue.' }])
  })

  it('refuses settings that Bedrock does not accept after a tool was used', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }
    const messages = [
      user,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ]
    expect(refusalOf({ messages, tools: [weather], tool_choice: 'none' })).toEqual([
      'unsupported_parameter',
      'tool_choice',
    ])
  })

  it.each<[object, string]>([
    [{ messages: [{ role: 'user', content: 7 }] }, 'messages.0.content'],
    [{ messages: [{ role: 'user', content: ' ' }] }, 'messages.0.content'],
    [{ messages: [user, { role: 'assistant', content: 'Hi' }, { role: 'user', content: [] }] }, 'messages.2.content'],
    [{ messages: [{ role: 'user', content: ['a'] }] }, 'messages.0.content.0'],
    [parts({ type: 'text', text: 7 }), 'messages.0.content.0.text'],
    [{ messages: [{ role: 'tool', content: 'a' }] }, 'messages.0.tool_call_id'],
    [{ messages: [{ role: 'assistant', tool_calls: 'a' }] }, 'messages.0.tool_calls'],
    [{ tools: 'weather' }, 'tools'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ response_format: { type: 'json_schema', json_schema: { name: 'a' } } }, 'response_format.json_schema.schema'],
  ])('reports %.120j as invalid', (body, param) => {
    expect(refusalOf(body)).toEqual(['invalid_request', param])
  })

  it('never throws, whatever the body contains', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, '', 'auto', 'function', 'text', 'user', 'tool', 7, true),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom('role', 'content', 'type', 'text', 'function', 'tool_calls', 'name', 'file', 'image_url'),
          tie('any'),
        ),
      ),
    })).any
    const names = fc.constantFrom('tools', 'tool_choice', 'response_format', 'stop', 'messages', 'max_tokens')
    fc.assert(
      fc.property(fc.dictionary(names, value), fc.array(value, { maxLength: 3 }), (body, messages) => {
        const conversion = convert({ messages, ...body })
        expect(conversion.ok || typeof conversion.refusal.param === 'string').toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})

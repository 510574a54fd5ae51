import { modelOf } from '../../catalog/catalog.fixture.ts'
import { unsupportedResponsesParameter } from '../../wire/responses/unsupported-parameter.ts'
import { readResponsesFacts } from './check-request.ts'

const body = { model: 'acme/fast', input: 'hi' }
const said = (...content: object[]) => ({ input: [{ role: 'user', content }] })

it('reads the fields that the gateway acts on', () => {
  expect(
    readResponsesFacts({ ...body, models: ['acme/fast', 'acme/slow'], stream: true, max_output_tokens: 9 }),
  ).toEqual({
    requestedModel: 'acme/fast',
    fallbackModels: ['acme/slow'],
    stream: true,
    includeUsage: true,
    n: 1,
    maxTokens: 9,
    searches: 0,
    prompt: { items: 1, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false },
  })
})

it('accepts null for absent optional fields', () => {
  const names = ['instructions', 'stream', 'store', 'tools', 'tool_choice', 'text', 'reasoning', 'background', 'prompt']
  const nulls = Object.fromEntries(
    [...names, 'previous_response_id', 'conversation', 'models'].map((name) => [name, null]),
  )
  expect(readResponsesFacts({ ...body, ...nulls })).toMatchObject({
    requestedModel: 'acme/fast',
    fallbackModels: [],
    stream: false,
    maxTokens: null,
  })
})

it('counts images by their number and files as unbounded, also in outputs of functions', () => {
  const image = { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(100)}` }
  const answered = { type: 'function_call_output', call_id: 'c', output: [image] }
  const asked = { role: 'user', content: [{ type: 'input_text', text: 'x' }, image] }
  const { prompt } = readResponsesFacts({ ...body, input: [asked, answered], instructions: 'Be brief.' })
  expect(prompt).toEqual({ items: 3, tools: 0, mediaParts: 2, mediaLength: 244, unbounded: false })
  const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' }
  expect(readResponsesFacts({ ...body, ...said(file) }).prompt).toMatchObject({ mediaParts: 1, unbounded: true })
  expect(readResponsesFacts({ ...body, input: [{ type: 'item_reference', id: 'x' }] }).prompt.unbounded).toBe(true)
})

it.each<[string, object, string]>([
  ['no model', { model: undefined }, 'model'],
  ['too many models', { models: Array(9).fill('m') }, 'models'],
  ['no input', { input: undefined }, 'input'],
  ['an empty input', { input: [] }, 'input'],
  ['a number as stream', { stream: 1 }, 'stream'],
  ['half a token', { max_output_tokens: 0.5 }, 'max_output_tokens'],
  ['an id that is not a string', { previous_response_id: 7 }, 'previous_response_id'],
  ['an item that is not an object', { input: ['hi'] }, 'input.0'],
  ['an unknown role', { input: [{ role: 'tool', content: 'x' }] }, 'input.0.role'],
  ['no content', { input: [{ role: 'user' }] }, 'input.0.content'],
  ['a text part without text', said({ type: 'input_text' }), 'input.0.content.0.text'],
  ['an image without an address', said({ type: 'input_image' }), 'input.0.content.0.image_url'],
  ['a file without content', said({ type: 'input_file' }), 'input.0.content.0.file_data'],
  ['a call without a name', { input: [{ type: 'function_call', call_id: 'c', arguments: '' }] }, 'input.0.name'],
  ['an output without a call', { input: [{ type: 'function_call_output', output: '' }] }, 'input.0.call_id'],
  ['a tool without a name', { tools: [{ type: 'function' }] }, 'tools.0.name'],
  ['an unknown choice', { tool_choice: 'maybe' }, 'tool_choice'],
])('refuses %s and names it', (_name, change, param) => {
  expect(() => readResponsesFacts({ ...body, ...change })).toThrow(
    expect.objectContaining({ code: 'invalid_request', param }),
  )
})

it.each<[string, object, string]>([
  ['conversations', { conversation: 'conv_1' }, 'conversation'],
  ['prompt templates', { prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['uploaded images', said({ type: 'input_image', file_id: 'file-1' }), 'input.0.content.0.file_id'],
  [
    'uploaded files',
    said({ type: 'input_text', text: '' }, { type: 'input_file', file_id: 'file-1' }),
    'input.0.content.1.file_id',
  ],
  ['sound', said({ type: 'input_audio', input_audio: {} }), 'input.0.content.0.type'],
])('refuses %s as unsupported', (_name, change, param) => {
  expect(() => readResponsesFacts({ ...body, ...change })).toThrow(
    expect.objectContaining({ code: 'unsupported_parameter', param }),
  )
})

it('accepts tools and items of any type, because the adapter of the model decides about them', () => {
  const tools = [{ type: 'function', name: 'f' }, { type: 'web_search' }]
  const input = [{ type: 'web_search_call', id: 'ws_1' }]
  const facts = readResponsesFacts({ ...body, input, tools, tool_choice: { type: 'web_search' } })
  expect(facts.prompt).toMatchObject({ tools: 33, unbounded: false })
})

it('bounds no prompt by its body that has items of an unknown type', () => {
  expect(readResponsesFacts({ ...body, input: [{ type: 'anything' }] }).prompt.unbounded).toBe(true)
})

it('accepts custom tools, which the client runs', () => {
  const tool = { type: 'custom', name: 'grep' }
  expect(readResponsesFacts({ ...body, tools: [tool], tool_choice: tool }).prompt.tools).toBe(1)
})

it.each<[string, object, string]>([
  ['response_format', { text: { format: { type: 'json_object' } } }, 'text.format'],
  ['verbosity', { text: { verbosity: 'low' } }, 'text.verbosity'],
  ['reasoning_effort', { reasoning: { effort: 'low' } }, 'reasoning.effort'],
  ['temperature', { temperature: 0.5 }, 'temperature'],
  ['logprobs', { include: ['message.output_text.logprobs'] }, 'include'],
  ['logprobs', { top_logprobs: 2 }, 'top_logprobs'],
  ['service_tier', { service_tier: 'flex' }, 'service_tier'],
])('finds the parameter that the catalog calls %s', (name, change, path) => {
  const model = modelOf({ unsupported_parameters: [name] })
  expect(unsupportedResponsesParameter(model, { ...body, ...change })).toBe(path)
  expect(unsupportedResponsesParameter(modelOf(), { ...body, ...change })).toBeNull()
})

it.each(['max_tokens', 'max_completion_tokens'])('finds no parameter in a member %s, which Responses lack', (name) => {
  const model = modelOf({ unsupported_parameters: [name] })
  expect(unsupportedResponsesParameter(model, { ...body, [name]: 5 })).toBeNull()
  expect(unsupportedResponsesParameter(model, { ...body, [name]: 5, max_output_tokens: 5 })).toBeNull()
})

it('accepts defaults', () => {
  const names = ['response_format', 'temperature', 'logprobs', 'top_logprobs', 'max_tokens', 'service_tier']
  const model = modelOf({ unsupported_parameters: names })
  const plain = {
    text: { format: { type: 'text' } },
    temperature: 1,
    top_logprobs: 0,
    max_output_tokens: 5,
    service_tier: 'auto',
  }
  expect(unsupportedResponsesParameter(model, { ...body, ...plain })).toBeNull()
})

it('bounds no prompt by its body in a mode of reasoning that reads it several times', () => {
  const unbounded = (reasoning: object) => readResponsesFacts({ ...body, reasoning }).prompt.unbounded
  expect([{}, { mode: 'standard' }, { mode: 'pro' }].map(unbounded)).toEqual([false, false, true])
})

import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { readMessagesFacts } from './read-messages-facts.ts'

const hello = { model: 'acme/fast', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }

function refusalOf(body: object): { code: string; param: string | null } {
  try {
    readMessagesFacts({ ...hello, ...body })
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, param: error.param }
    throw error
  }
  throw new Error('the body was accepted')
}

it('reads the fields that the gateway acts on', () => {
  expect(readMessagesFacts(hello)).toEqual({
    requestedModel: 'acme/fast',
    fallbackModels: [],
    stream: false,
    includeUsage: true,
    n: 1,
    maxTokens: 100,
    searches: 0,
    prompt: { items: 1, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false },
  })
  expect(readMessagesFacts({ ...hello, stream: true, models: ['acme/slow', 'acme/fast'] })).toMatchObject({
    requestedModel: 'acme/fast',
    fallbackModels: ['acme/slow'],
    stream: true,
  })
  expect(readMessagesFacts({ ...hello, max_tokens: 0 })).toMatchObject({ maxTokens: 0 })
})

it('accepts null for absent optional fields', () => {
  const nulls = { thread: null, models: null, system: null, stream: null, tools: null, stop_sequences: null }
  expect(readMessagesFacts({ ...hello, ...nulls })).toEqual(readMessagesFacts(hello))
})

it.each<[string, object]>([
  ['model', { model: null }],
  ['model', { model: 7 }],
  ['models', { models: [] }],
  ['models', { models: Array.from({ length: 9 }, () => 'm') }],
  ['max_tokens', { max_tokens: undefined }],
  ['max_tokens', { max_tokens: null }],
  ['max_tokens', { max_tokens: -1 }],
  ['max_tokens', { max_tokens: 1.5 }],
  ['max_tokens', { max_tokens: '100' }],
  ['messages', { messages: [] }],
  ['messages', { messages: undefined }],
  ['messages.1', { messages: [...hello.messages, 'Hello'] }],
  ['messages.0.role', { messages: [{ role: 'tool', content: 'x' }] }],
  ['messages.0.role', { messages: [{ content: 'x' }] }],
  ['messages.0.content', { messages: [{ role: 'user' }] }],
  ['messages.0.content', { messages: [{ role: 'user', content: 7 }] }],
  ['messages.0.content.1', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }, null] }] }],
  ['messages.0.content.0.type', { messages: [{ role: 'user', content: [{ text: 'x' }] }] }],
  ['system', { system: 7 }],
  ['system.0', { system: ['x'] }],
  ['stream', { stream: 'yes' }],
  ['tools', { tools: {} }],
  ['tools', { tools: [7] }],
  ['stop_sequences', { stop_sequences: 'END' }],
])('names %s in %j', (param, body) => {
  expect(refusalOf(body)).toEqual({ code: 'invalid_request', param })
})

it('refuses conversations that the provider stores, with the details that make the SDK send the whole conversation', () => {
  const created = () => readMessagesFacts({ ...hello, thread: { type: 'create' } })
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
  expect(created).toThrow(expect.objectContaining({ code: 'unsupported_parameter', param: 'thread', details }))
})

it.each<[string, object]>([
  ['0.source.file_id', { type: 'image', source: { type: 'file', file_id: 'f' } }],
  ['0.content.0.source.file_id', { type: 'tool_result', content: [{ source: { type: 'file', file_id: 'f' } }] }],
  ['0.source.content.0.source.file_id', { type: 'document', source: { content: [{ source: { file_id: 'f' } }] } }],
])('refuses a file of the account that workspaces share: %s', (path, block) => {
  const refusal = refusalOf({ messages: [{ role: 'user', content: [block] }] })
  expect(refusal).toEqual({ code: 'unsupported_parameter', param: `messages.0.content.${path}` })
})

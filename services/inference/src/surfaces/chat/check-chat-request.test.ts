import fc from 'fast-check'
import { chatPromptShape } from './chat-prompt-shape.ts'
import { checkChatRequest } from './check-chat-request.ts'

const message = { role: 'user', content: 'Hi' }
const body = (more: object = {}) => ({ model: 'openai/gpt-4o-mini', messages: [message], ...more })
const factsOf = (value: Record<string, unknown>) => {
  const checked = checkChatRequest(value)
  return checked.ok ? checked.facts : checked
}

describe('checkChatRequest', () => {
  it('returns the defaults for a minimal request', () => {
    expect(factsOf(body())).toEqual({
      requestedModel: 'openai/gpt-4o-mini',
      fallbackModels: [],
      stream: false,
      includeUsage: false,
      n: 1,
      maxTokens: null,
      searches: 0,
      prompt: chatPromptShape({ messages: [message], tools: [] }),
    })
  })

  it('accepts null for absent', () => {
    const optional = ['stream', 'stream_options', 'n', 'max_tokens', 'max_completion_tokens', 'tools', 'stop']
    expect(factsOf(body(Object.fromEntries(optional.map((param) => [param, null]))))).toEqual(factsOf(body()))
    expect(factsOf(body({ stream_options: { include_usage: null } }))).toEqual(factsOf(body()))
  })

  it.each<[object, object]>([
    [
      { stream: true, stream_options: { include_usage: true } },
      { stream: true, includeUsage: true },
    ],
    [
      { stream: true, stream_options: { include_usage: false, include_obfuscation: false } },
      { stream: true, includeUsage: false },
    ],
    [{ n: 128 }, { n: 128 }],
    [{ max_tokens: 5 }, { maxTokens: 5 }],
    [{ max_completion_tokens: 6 }, { maxTokens: 6 }],
    [{ max_tokens: 7, max_completion_tokens: 6 }, { maxTokens: 7 }],
    [{ max_tokens: 7, max_completion_tokens: 8 }, { maxTokens: 8 }],
    [{ max_tokens: 999_999_999 }, { maxTokens: 999_999_999 }],
    [{ tools: [{ type: 'function' }] }, { prompt: chatPromptShape({ messages: [message], tools: [{}] }) }],
    [{ model: 'x'.repeat(256) }, { requestedModel: 'x'.repeat(256), fallbackModels: [] }],
    [
      { models: ['b', 'openai/gpt-4o-mini', 'c'] },
      { requestedModel: 'openai/gpt-4o-mini', fallbackModels: ['b', 'c'] },
    ],
    [
      { model: null, models: ['b', 'c'] },
      { requestedModel: 'b', fallbackModels: ['c'] },
    ],
  ])('reads %j', (more, facts) => {
    expect(factsOf(body(more))).toMatchObject(facts)
  })

  it.each<[object, string, string]>([
    [{ model: undefined }, 'model', 'model is required.'],
    [{ model: null }, 'model', 'model must be a string of 1 to 256 printable ASCII characters.'],
    [{ model: '' }, 'model', 'model must be a string of 1 to 256 printable ASCII characters.'],
    [{ model: 'x'.repeat(257) }, 'model', 'model must be a string of 1 to 256 printable ASCII characters.'],
    [{ model: 'a\nb' }, 'model', 'model must be a string of 1 to 256 printable ASCII characters.'],
    [{ model: 'a\n' }, 'model', 'model must be a string of 1 to 256 printable ASCII characters.'],
    [{ model: 'modèle' }, 'model', 'model must be a string of 1 to 256 printable ASCII characters.'],
    [{ model: ['a'] }, 'model', 'model must be a string of 1 to 256 printable ASCII characters.'],
    [{ messages: undefined }, 'messages', 'messages is required.'],
    [{ messages: [] }, 'messages', 'messages must be a non-empty array.'],
    [{ messages: { 0: message, length: 1 } }, 'messages', 'messages must be a non-empty array.'],
    [{ messages: [message, 'Hi'] }, 'messages.1', 'messages.1 must be an object.'],
    [{ messages: [message, null] }, 'messages.1', 'messages.1 must be an object.'],
    [{ messages: [message, [message]] }, 'messages.1', 'messages.1 must be an object.'],
    [{ messages: [{ content: 'Hi' }] }, 'messages.0.role', 'messages.0.role is required.'],
    [{ messages: [message, { role: 1 }] }, 'messages.1.role', 'messages.1.role must be a non-empty string.'],
    [{ messages: [{ role: '' }] }, 'messages.0.role', 'messages.0.role must be a non-empty string.'],
    [{ stream: 'true' }, 'stream', 'stream must be a boolean.'],
    [{ stream_options: [] }, 'stream_options', 'stream_options must be an object.'],
    [
      { stream_options: { include_usage: 1 } },
      'stream_options.include_usage',
      'stream_options.include_usage must be a boolean.',
    ],
    [{ n: 0 }, 'n', 'n must be an integer from 1 to 128.'],
    [{ n: 129 }, 'n', 'n must be an integer from 1 to 128.'],
    [{ n: 1.5 }, 'n', 'n must be an integer from 1 to 128.'],
    [{ n: '2' }, 'n', 'n must be an integer from 1 to 128.'],
    [{ max_tokens: 0 }, 'max_tokens', 'max_tokens must be a positive integer.'],
    [{ max_tokens: -1 }, 'max_tokens', 'max_tokens must be a positive integer.'],
    [{ max_completion_tokens: 0.5 }, 'max_completion_tokens', 'max_completion_tokens must be a positive integer.'],
    [{ max_completion_tokens: '9' }, 'max_completion_tokens', 'max_completion_tokens must be a positive integer.'],
    [{ tools: {} }, 'tools', 'tools must be an array.'],
    [{ stop: 1 }, 'stop', 'stop must be a string or an array of strings.'],
    [{ stop: ['a', 1] }, 'stop', 'stop must be a string or an array of strings.'],
  ])('refuses %j, naming %s', (more, param, text) => {
    expect(checkChatRequest(body(more))).toEqual({ ok: false, code: 'invalid_request', param, message: text })
  })

  it.each([
    ['file.file_id', { type: 'file', file: { file_id: 'file-1' } }],
    ['file_id', { type: 'file', file_id: 'f1' }],
    ['file_id', { type: 'input_file', file_id: 'f1' }],
    ['video_url.url', { type: 'video_url', video_url: { url: 'ms://f1' } }],
    ['image_url', { type: 'image_url', image_url: 'gs://bucket/a.png' }],
  ])('refuses a file of the account that workspaces share: %s', (place, part) => {
    const content = [{ type: 'text', text: 'Hi' }, part]
    const param = `messages.0.content.1.${place}`
    const refused = checkChatRequest(body({ messages: [{ role: 'user', content }] }))
    expect(refused).toMatchObject({ ok: false, code: 'unsupported_parameter', param })
  })

  it.each(['https://a.test/a.png', 'data:image/png;base64,iVBORw0KGgo=', 'iVBORw0KGgo='])(
    'takes an image that is in the request or that anyone can read: %s',
    (url) => {
      const content = [{ type: 'image_url', image_url: { url } }]
      expect(checkChatRequest(body({ messages: [{ role: 'user', content }] }))).toMatchObject({ ok: true })
    },
  )

  it.each([['a'], [[]], [[7]], [Array(9).fill('a')]])('refuses models %j', (models) => {
    expect(checkChatRequest(body({ models }))).toMatchObject({ ok: false, code: 'invalid_request', param: 'models' })
  })

  it('accepts all other fields', () => {
    const others = fc
      .dictionary(fc.string(), fc.jsonValue())
      .filter((fields) => checkedParams.every((param) => !Object.hasOwn(fields, param)))
    fc.assert(
      fc.property(others, (fields) => {
        expect(factsOf({ ...fields, ...body() })).toEqual(factsOf(body()))
      }),
    )
  })

  it('returns sound facts or names a fault, for any values', () => {
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.integer({ min: -2, max: 200 }),
      fc.constant([message]),
      fc.constant('model'),
    )
    fc.assert(
      fc.property(
        fc.record(
          Object.fromEntries(checkedParams.map((param) => [param, fc.oneof(fc.constant(undefined), anything)])),
        ),
        (fields) => {
          const checked = checkChatRequest(fields)
          if (!checked.ok) return expect(checkedParams).toContain(checked.param.split('.')[0])
          const { n, maxTokens, requestedModel, prompt, stream } = checked.facts
          expect(Number.isInteger(n) && n >= 1 && n <= 128).toBe(true)
          expect(maxTokens === null || (Number.isInteger(maxTokens) && maxTokens > 0)).toBe(true)
          expect(prompt.items).toBeGreaterThan(0)
          expect(requestedModel).not.toBe('')
          expect(typeof stream).toBe('boolean')
        },
      ),
      { numRuns: 500 },
    )
  })
})

const checkedParams = [
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'stop',
  'models',
]

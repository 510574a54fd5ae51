import { lookAlikes } from '@ratchet/redaction/secrets/look-alikes.fixture'
import { secretRecipes } from '@ratchet/redaction/secrets/secrets.fixture'
import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { seededRandom } from '@ratchet/testing/seeded-random'
import fc from 'fast-check'
import { redactExchange, redactKnown } from './redact-exchange.ts'

const random = seededRandom(11)
const make = (kind: string) => secretRecipes.find((recipe) => recipe.kind === kind)?.make(random).text ?? ''
const none = { count: 0, kinds: [] }

/** Typical ids of clients, providers and tracers, and names of models and tools. */
const identifiers = [
  'call_Ab12Cd34Ef56Gh78Ij90Kl12',
  'toolu_01A09q90qw90lq917835lq9',
  'chatcmpl-9fGh2KlMn4PqRs6TuVw8XyZ0aBcDe',
  'msg_01XFDUDYJgAACzvnptvVoYEL',
  'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b',
  'fc_12345xyzABC67890defGHI12345jkl',
  'asst_abc123DEF456ghi789JKL012',
  '4bf92f3577b34da6a3ce929d0e0e4736',
  '00f067aa0ba902b7',
  '0190163d-8694-739b-aea5-966c26f8ad91',
  '01HZX9K3M5N7P9R1T3V5W7Y9ZA',
  'V1StGXR8_Z5jdHi6B-myT',
  'gpt-5-mini-2025-08-07',
  'claude-sonnet-4-5-20250929',
  'us.anthropic.claude-3-5-sonnet-20241022-v2:0',
  'accounts/fireworks/models/llama-v3p1-70b-instruct',
  'ft:gpt-4o-mini-2024-07-18:acme:support-v2:9Xy2ZaBc',
  'hf_hub/meta-llama/Llama-3.3-70B-Instruct',
  'sk-learn-pipeline-2024-11-runs',
  'get_api_key',
  'reset_password2',
  'token_count',
  'team=search;env=prod;build=20241122.3',
  'user:12345678:session:abcdef0123456789',
]

describe('redactExchange', () => {
  it('keeps numbers as they were written', () => {
    const text = '{"a":[12345678901234567890,{"b":1.10}]}'
    const { redaction: _, ...clean } = redactExchange(parseExact(text) as object)
    expect(JSON.stringify(clean)).toBe(text)
  })

  it('redacts messages, parts, arguments, results, descriptions and the response, and counts the secrets', () => {
    const [github, openai, stripe, jwt, npm] = ['github_token', 'openai_key', 'stripe_key', 'jwt', 'npm_token'].map(
      make,
    )
    const exchange = {
      messages: [
        { role: 'system', content: `Use ${github}.` },
        { role: 'user', name: 'ann', content: [{ type: 'text', text: `key: ${openai}` }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'pay', arguments: JSON.stringify({ key: stripe, n: 1 }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: JSON.stringify({ body: JSON.stringify({ jwt }) }) },
      ],
      tools: [
        { type: 'function', function: { name: 'pay', description: `default ${npm}`, parameters: { type: 'object' } } },
      ],
      response: { choices: [{ message: { role: 'assistant', content: `You said ${openai}` }, finish_reason: 'stop' }] },
    }
    const { redaction, ...redacted } = redactExchange(exchange)
    expect(redaction).toEqual({ count: 6, kinds: ['github_token', 'jwt', 'npm_token', 'openai_key', 'stripe_key'] })
    expect(redacted).toEqual({
      messages: [
        { role: 'system', content: 'Use [redacted].' },
        { role: 'user', name: 'ann', content: [{ type: 'text', text: 'key: [redacted]' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{"key":"[redacted]","n":1}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '{"body":"{\\"jwt\\":\\"[redacted]\\"}"}' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'pay', description: 'default [redacted]', parameters: { type: 'object' } },
        },
      ],
      response: {
        choices: [{ message: { role: 'assistant', content: 'You said [redacted]' }, finish_reason: 'stop' }],
      },
    })
  })

  it('redacts fields of an object argument by their names', () => {
    const input = { user: 'ann', password: 'Winter2024!', nested: { api_key: 'a1b2c3d4e5f6', max_tokens: '100000' } }
    expect(
      redactExchange({ messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'x', input }] }] }),
    ).toEqual({
      messages: [
        {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              name: 'x',
              input: { user: 'ann', password: '[redacted]', nested: { api_key: '[redacted]', max_tokens: '100000' } },
            },
          ],
        },
      ],
      redaction: { count: 2, kinds: ['password', 'secret'] },
    })
  })

  it('redacts secrets of a known form in ids, names and property names', () => {
    const [github, stripe, url] = [make('github_token'), make('stripe_key'), 'redis://:hunter22@cache:6379']
    const call = { id: github, type: stripe, function: { name: `pay_${stripe}`, arguments: '{}' } }
    const properties = { [github]: { type: 'string' }, [stripe]: { type: 'number' }, '[redacted]': {}, city: {} }
    const { redaction, ...redacted } = redactExchange({
      messages: [{ role: github, name: url, model: make('jwt'), tool_calls: [call] }],
      tools: [{ type: 'object', properties }],
    })
    expect(redacted).toEqual({
      messages: [
        {
          role: '[redacted]',
          name: 'redis://:[redacted]@cache:6379',
          model: '[redacted]',
          tool_calls: [{ id: '[redacted]', type: '[redacted]', function: { name: 'pay_[redacted]', arguments: '{}' } }],
        },
      ],
      tools: [
        {
          type: 'object',
          properties: {
            '[redacted]_2': { type: 'string' },
            '[redacted]_3': { type: 'number' },
            '[redacted]': {},
            city: {},
          },
        },
      ],
    })
    expect(redaction.count).toBe(8)
  })

  it.each([...lookAlikes, ...identifiers])('leaves %j as an id, a name and a property', (text) => {
    const exchange = { messages: [{ id: text, name: text, model: text, tool_call_id: text, [text]: 1 }] }
    expect(redactKnown(exchange, { tag: text })).toEqual({
      content: exchange,
      identifiers: { tag: text },
      redaction: none,
    })
  })

  it('does not redact identifiers by the name of their field', () => {
    const messages = [{ name: 'password: Winter2024!', id: 'api_key=a1b2c3d4e5f6', 'token=a1b2c3d4e5f6': 1 }]
    expect(redactExchange({ messages })).toEqual({ messages, redaction: none })
  })

  it('does not modify the exchange that it receives', () => {
    const exchange = { messages: [{ role: 'user', content: make('jwt') }] }
    const before = structuredClone(exchange)
    redactExchange(exchange)
    expect(exchange).toEqual(before)
  })

  it('does not change media', () => {
    const data = Buffer.from(Array.from({ length: 900 }, (_, at) => (at * 7919) & 255)).toString('base64')
    const exchange = {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
            { type: 'input_audio', input_audio: { data, format: 'wav' } },
          ],
        },
      ],
    }
    expect(redactExchange(exchange)).toEqual({ ...exchange, redaction: none })
  })

  it('redacts texts that only claim to be media', () => {
    const key = make('openai_key')
    const parts = [
      { url: `data:text/plain,my key is ${key}` },
      { data: `${key}${'A'.repeat(300)}` },
      { signature: key },
    ]
    expect(JSON.stringify(redactExchange({ messages: parts }))).not.toContain(key)
  })

  it('redacts URLs of media', () => {
    const url = 'https://ann:s3cr3tpw9@example.com/a.png'
    const { messages } = redactExchange({ messages: [{ image_url: { url } }] })
    expect(messages).toEqual([{ image_url: { url: 'https://ann:[redacted]@example.com/a.png' } }])
  })

  it('drops log probabilities only when something was redacted', () => {
    const logprobs = { content: [{ token: 'sk', logprob: -0.1, bytes: [115, 107] }] }
    const choice = (content: string) => ({ response: { choices: [{ message: { content }, logprobs }] } })
    expect(redactExchange(choice('hello')).response.choices[0]?.logprobs).toEqual(logprobs)
    expect(redactExchange(choice(make('openai_key'))).response.choices[0]?.logprobs).toBeNull()
  })

  it('redacts a client field that is named like log probabilities', () => {
    const messages = [{ logprobs: make('jwt'), parameters: { logprobs: { type: 'string', default: make('jwt') } } }]
    expect(redactExchange({ messages }).messages).toEqual([
      { logprobs: '[redacted]', parameters: { logprobs: { type: 'string', default: '[redacted]' } } },
    ])
  })

  it('accepts any JSON without throwing, and returns the same shape', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (messages) => {
        const { redaction, ...redacted } = redactExchange({ messages, response: messages })
        if (redaction.count === 0)
          expect(JSON.stringify(redacted)).toBe(JSON.stringify({ messages, response: messages }))
      }),
      { numRuns: 1_000 },
    )
  })

  it('accepts very deeply nested JSON', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}"${make('github_token')}"${']'.repeat(100_000)}`)
    expect(redactExchange({ messages: deep }).redaction).toEqual({ count: 1, kinds: ['github_token'] })
  })

  it('treats a field named `__proto__` like any other', () => {
    const messages = JSON.parse(`[{"__proto__": {"content": "${make('github_token')}"}, "constructor": "x"}]`)
    expect(JSON.stringify(redactExchange({ messages }).messages)).toBe(
      '[{"__proto__":{"content":"[redacted]"},"constructor":"x"}]',
    )
  })

  it('accepts an exchange with very many parts', () => {
    const messages = Array.from({ length: 200_000 }, () => ({}))
    expect(redactExchange({ messages, response: make('jwt') }).redaction.count).toBe(1)
  })
})

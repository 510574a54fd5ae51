import { seededRandom } from '@ratchet/testing/seeded-random'
import fc from 'fast-check'
import { redactExchange } from './redact-exchange.ts'
import { secretRecipes } from './secrets.fixture.ts'

const random = seededRandom(11)
const make = (kind: string) => secretRecipes.find((recipe) => recipe.kind === kind)?.make(random).text ?? ''
const none = { count: 0, kinds: [] }

describe('redactExchange', () => {
  it('redacts messages, parts, arguments, results, descriptions and the response, and tells how much', () => {
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

  it('redacts fields by their names where a tool was given an object', () => {
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

  it('leaves the exchange that it was given as it is', () => {
    const exchange = { messages: [{ role: 'user', content: make('jwt') }] }
    const before = structuredClone(exchange)
    redactExchange(exchange)
    expect(exchange).toEqual(before)
  })

  it('leaves media as they are', () => {
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

  it('redacts the address of media that are elsewhere', () => {
    const url = 'https://ann:s3cr3tpw9@example.com/a.png'
    const { messages } = redactExchange({ messages: [{ image_url: { url } }] })
    expect(messages).toEqual([{ image_url: { url: 'https://ann:[redacted]@example.com/a.png' } }])
  })

  it('drops log probabilities where they would spell what was redacted, and only there', () => {
    const logprobs = { content: [{ token: 'sk', logprob: -0.1, bytes: [115, 107] }] }
    const choice = (content: string) => ({ response: { choices: [{ message: { content }, logprobs }] } })
    expect(redactExchange(choice('hello')).response.choices[0]?.logprobs).toEqual(logprobs)
    expect(redactExchange(choice(make('openai_key'))).response.choices[0]?.logprobs).toBeNull()
  })

  it('takes any JSON without throwing and gives back its shape', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (messages) => {
        const { redaction, ...redacted } = redactExchange({ messages, response: messages })
        if (redaction.count === 0)
          expect(JSON.stringify(redacted)).toBe(JSON.stringify({ messages, response: messages }))
      }),
      { numRuns: 1_000 },
    )
  })

  it('takes JSON that is nested without end', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}"${make('github_token')}"${']'.repeat(100_000)}`)
    expect(redactExchange({ messages: deep }).redaction).toEqual({ count: 1, kinds: ['github_token'] })
  })

  it('takes a field named like the prototype for a field', () => {
    const messages = JSON.parse(`[{"__proto__": {"content": "${make('github_token')}"}, "constructor": "x"}]`)
    expect(JSON.stringify(redactExchange({ messages }).messages)).toBe(
      '[{"__proto__":{"content":"[redacted]"},"constructor":"x"}]',
    )
  })

  it('takes an exchange of very many parts', () => {
    const messages = Array.from({ length: 200_000 }, () => ({}))
    expect(redactExchange({ messages, response: make('jwt') }).redaction.count).toBe(1)
  })
})

import { toLoggedExchange } from '../redaction/to-logged-exchange.ts'
import { capturedExchange } from './captured.fixture.ts'
import { readCapture } from './read-capture.ts'

const id = '00000000-0000-7000-8000-0000000000cc'
const at = new Date('2026-11-21T12:00:00.000Z')
const secret = 'AKIAQYLPMN5HNM4OZ56B'

describe('readCapture', () => {
  it('reads request and reply, and takes over the metadata of the exchange', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const request = {
      tools,
      response_format: { type: 'json_object' },
      temperature: 0,
      seed: null,
      stream: true,
      user: 'u',
    }
    const usage = { prompt_tokens: 5, completion_tokens: 6, completion_tokens_details: { reasoning_tokens: 2 } }
    const captured = capturedExchange(1, { request, reply: { usage }, meta: { tag: 't', traceId: 'run' } }, at)
    expect(readCapture(captured, id)).toMatchObject({
      id,
      requestId: captured.meta.requestId,
      createdAt: at,
      expiresAt: new Date('2026-11-28T12:00:00.000Z'),
      source: 'gateway',
      tag: 't',
      traceId: 'run',
      finishReason: 'stop',
      promptTokens: 5,
      completionTokens: 6,
      reasoningTokens: 2,
      costNano: 3_000n,
      content: {
        messages: [{ role: 'user', content: 'Question 1?' }],
        response: { role: 'assistant', content: 'Answer 1.' },
        tools,
        responseFormat: { type: 'json_object' },
        params: { temperature: 0, user: 'u' },
      },
    })
  })

  it('reads labels from headers first, and from the body of any dialect', () => {
    const clientMetadataIn = (request: object, meta: object = {}) => {
      const { content, conversationId } = readCapture(capturedExchange(1, { request, meta }), id)
      return { ...content.params, conversationId }
    }
    const named = { user: 'ann', conversationId: 's1', metadata: { plan: 'pro' } }
    expect(clientMetadataIn({ user: 'bob', metadata: { plan: 'free', region: 'eu' } }, named)).toEqual({
      user: 'ann',
      conversationId: 's1',
      metadata: { plan: 'pro', region: 'eu' },
    })
    expect(clientMetadataIn({ metadata: { user_id: 'bob' } })).toEqual({ user: 'bob', conversationId: null })
    expect(clientMetadataIn({ user: 5, metadata: ['a'] })).toEqual({ conversationId: null })
  })

  it('takes the first of several choices, and counts a missing usage as zero', () => {
    const choices = ['first', 'second'].map((content, index) => ({
      index,
      message: { role: 'assistant', content },
      finish_reason: 'length\0',
    }))
    const read = readCapture(capturedExchange(1, { reply: { choices, usage: null } }), id)
    expect(read).toMatchObject({ finishReason: 'length', promptTokens: 0, completionTokens: 0, reasoningTokens: null })
    expect(read.content.response).toEqual({ role: 'assistant', content: 'first' })
  })

  it.each([
    ['no JSON', { request: Buffer.from('{') }],
    ['a request without messages', { request: Buffer.from('{}') }],
    ['a reply without an answer', { reply: Buffer.from('{"choices":[]}') }],
  ])('refuses %s', (_name, broken) => {
    expect(() => readCapture({ ...capturedExchange(1), ...broken }, id)).toThrow(RangeError)
  })
})

describe('toLoggedExchange', () => {
  const stored = (choices: Parameters<typeof capturedExchange>[1]) =>
    toLoggedExchange(readCapture(capturedExchange(1, choices), id))

  it('stores the content as JSON texts, and measures messages, tools and response', () => {
    const { content, sizeBytes, hasToolCalls } = stored({ request: { tools: ['ü'], temperature: 1 } })
    expect(content).toEqual({
      messages: '[{"role":"user","content":"Question 1?"}]',
      response: '{"role":"assistant","content":"Answer 1."}',
      tools: '["ü"]',
      responseFormat: null,
      params: '{"temperature":1}',
    })
    expect(sizeBytes).toBe(Buffer.byteLength(`${content.messages}${content.response}${content.tools}`))
    expect(hasToolCalls).toBe(false)
  })

  it.each([
    ['tool calls', { tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }] }, true],
    ['a function call', { function_call: { name: 'f', arguments: '{}' } }, true],
    ['an empty list of calls', { tool_calls: [] }, false],
  ])('knows %s', (_name, message, expected) => {
    expect(stored({ message }).hasToolCalls).toBe(expected)
  })

  it('stores no secret, neither in the content nor in values derived from it', () => {
    const system = { role: 'system', content: `You may use ${secret} here.` }
    const leaky = {
      request: { messages: [system, { role: 'user', content: `key ${secret}` }], stop: [secret] },
      message: {
        content: null,
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: `{"k":"${secret}"}` } }],
      },
    }
    const exchange = stored(leaky)
    const { promptHash, words: _hashes, ...rest } = exchange
    expect(JSON.stringify({ ...rest, costNano: null })).not.toContain(secret)
    expect(exchange).toMatchObject({ redactionCount: 4, systemPrompt: 'You may use [redacted] here.' })
    expect(exchange.redactionKinds).toHaveLength(1)
  })

  it('stores no secret in identifiers of an exchange', () => {
    const chosen = ['tag', 'traceId', 'requestedModel', 'servedModel', 'provider', 'alias', 'fallbackFrom']
    const meta = Object.fromEntries(chosen.map((name) => [name, `x ${secret}`]))
    const choice = { index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: secret }
    const exchange = stored({ meta, reply: { choices: [choice] } })
    expect(exchange).toMatchObject({
      ...Object.fromEntries(chosen.map((name) => [name, 'x [redacted]'])),
      finishReason: '[redacted]',
      redactionCount: chosen.length + 1,
    })
  })

  it('gives equal prompts the same hash, whatever the answer', () => {
    const hash = (choices: Parameters<typeof capturedExchange>[1]) => stored(choices).promptHash.toString('hex')
    expect(hash({ message: { content: 'Something else' } })).toBe(hash({}))
    expect(hash({ request: { messages: [{ role: 'user', content: 'Other' }] } })).not.toBe(hash({}))
  })
})

import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import OpenAI from 'openai'

let provider: SimulatedProvider
let openai: OpenAI

beforeAll(async () => {
  provider = await startSimulatedProvider()
  openai = new OpenAI({ baseURL: `${provider.baseUrl}/v1`, apiKey: 'sk-test', maxRetries: 0 })
})
afterAll(() => provider.stop())

const messages = [{ role: 'user' as const, content: 'How do glaciers carve valleys?' }]
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }]

describe('the openai package on the simulated provider', () => {
  it('completes a chat', async () => {
    const answer = await openai.chat.completions.create({ model: 'sim/echo', messages })
    expect(answer.choices[0]?.message.content).toBe('How do glaciers carve valleys?')
    expect(answer.usage).toMatchObject({ prompt_tokens: 14, completion_tokens: 8, total_tokens: 22 })
    expect(answer._request_id).toMatch(/^req_sim_/)
  })

  it('streams a chat, usage last', async () => {
    const options = { stream: true, stream_options: { include_usage: true } } as const
    const stream = await openai.chat.completions.create({ model: 'sim/small', messages, ...options })
    let text = ''
    let tokens = 0
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      tokens = chunk.usage?.completion_tokens ?? tokens
    }
    const plain = await openai.chat.completions.create({ model: 'sim/small', messages })
    expect([text, tokens]).toEqual([plain.choices[0]?.message.content, plain.usage?.completion_tokens])
  })

  it('assembles streamed parallel tool calls', async () => {
    const request = { model: 'sim/tools', messages, tools, parallel_tool_calls: true }
    const final = await openai.chat.completions.stream(request).finalChatCompletion()
    const plain = await openai.chat.completions.create(request)
    const calls = final.choices[0]?.message.tool_calls ?? []
    expect(calls).toMatchObject(plain.choices[0]?.message.tool_calls ?? [])
    expect(calls).toHaveLength(2)
    expect(final.choices[0]?.finish_reason).toBe('tool_calls')
  })

  it('runs a tool conversation to its end', async () => {
    const runner = openai.chat.completions.runTools({
      model: 'sim/tools',
      messages,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'the weather',
            parameters,
            parse: JSON.parse,
            function: (sent: { city: string }) => `sunny in ${sent.city}`,
          },
        },
      ],
    })
    expect(await runner.finalContent()).toMatch(/\w+/)
    expect(runner.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  it('decodes embeddings from base64, which it requests by default', async () => {
    const request = { model: 'sim/embed', input: ['red apple', 'green pear'], dimensions: 16 }
    const decoded = await openai.embeddings.create(request)
    const plain = await openai.embeddings.create({ ...request, encoding_format: 'float' })
    expect(decoded.data).toHaveLength(2)
    for (const [index, item] of decoded.data.entries()) {
      expect(item.embedding).toHaveLength(16)
      expect(Array.from(item.embedding)).toEqual(plain.data[index]?.embedding)
    }
  })

  it('answers and streams responses', async () => {
    const request = { model: 'sim/medium', input: 'How do glaciers carve valleys?' }
    const plain = await openai.responses.create(request)
    expect(plain.output_text).toMatch(/\w+/)
    const streamed = await openai.responses.stream(request).finalResponse()
    expect(streamed).toMatchObject({ status: 'completed', output_text: plain.output_text, usage: plain.usage })
  })

  it('streams a response that calls a tool', async () => {
    const tool = { type: 'function' as const, name: 'get_weather', parameters, strict: false }
    const request = { model: 'sim/tools', input: 'Weather in Lisbon?', tools: [tool] }
    const streamed = await openai.responses.stream(request).finalResponse()
    expect(streamed.output[0]).toMatchObject({ type: 'function_call', name: 'get_weather' })
  })

  it('lists and finds models', async () => {
    const ids = (await openai.models.list()).data.map((model) => model.id)
    expect(ids).toContain('sim/large')
    expect((await openai.models.retrieve('sim/quality-0.5')).id).toBe('sim/quality-0.5')
  })

  it.each([
    ['sim/fail-400', OpenAI.BadRequestError],
    ['sim/fail-401', OpenAI.AuthenticationError],
    ['sim/none', OpenAI.NotFoundError],
    ['sim/fail-429', OpenAI.RateLimitError],
    ['sim/fail-503', OpenAI.InternalServerError],
    ['sim/hangup', OpenAI.APIConnectionError],
  ])('throws its own error class for %s', async (model, errorClass) => {
    await expect(openai.chat.completions.create({ model, messages })).rejects.toThrow(errorClass)
  })

  it('throws on an error event and on a broken stream', async () => {
    for (const model of ['sim/errorframe', 'sim/cut-900']) {
      const stream = await openai.chat.completions.create({ model, messages, stream: true })
      const readAll = async () => {
        for await (const chunk of stream) expect(chunk.object).toBe('chat.completion.chunk')
      }
      await expect(readAll()).rejects.toThrow()
    }
  })

  it('retries temporary failures', async () => {
    const patient = openai.withOptions({ maxRetries: 2 })
    const answer = await patient.chat.completions.create({ model: 'sim/fail-503-1', messages })
    expect(answer.choices).toHaveLength(1)
  })
})

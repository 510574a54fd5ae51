import { startWireApp } from './wire-app.fixture.ts'

let wire: Awaited<ReturnType<typeof startWireApp>>
beforeAll(async () => {
  wire = await startWireApp()
})
afterAll(() => wire.stop())

const complete = (body: object, headers: Record<string, string> = {}) => wire.send(body, headers, '/v1/completions')
const compact = (body: object) => wire.send(body, {}, '/v1/responses/compact')

/** The JSON of the frames of a stream, and whether it ended properly. */
function framesOf(text: string) {
  const data = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []))
  return { frames: data.filter((each) => each !== '[DONE]').map((each) => JSON.parse(each)), end: data.at(-1) }
}

const models = ['sim/echo', 'sim-anthropic/echo', 'sim-google/echo', 'sim-bedrock/echo']

describe.each(models)('text completions of %s', (model) => {
  it('answer with a text, its usage and its cost', async () => {
    const { status, body, headers } = await complete({ model, prompt: 'hello there', max_tokens: 40 })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: expect.any(String),
      object: 'text_completion',
      choices: [{ text: 'hello there', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: expect.any(Number), cost_usd: expect.any(Number) },
    })
    expect(Object.keys(body.choices[0])).toEqual(['text', 'index', 'logprobs', 'finish_reason'])
    if (model === 'sim/echo') expect(body.id).toMatch(/^cmpl-/)
    expect(Number(headers['x-svc-cost-usd'])).toBe(body.usage.cost_usd)
  })

  it('stream', async () => {
    const asked = {
      model,
      prompt: ['hello there'],
      max_tokens: 40,
      stream: true,
      stream_options: { include_usage: true },
    }
    const { status, text } = await complete(asked)
    const { frames, end } = framesOf(text)
    expect([status, end]).toEqual([200, '[DONE]'])
    expect(new Set(frames.map(({ object }) => object))).toEqual(new Set(['text_completion']))
    expect(frames.flatMap(({ choices }) => choices.map((choice: { text: string }) => choice.text)).join('')).toBe(
      'hello there',
    )
    expect(
      frames.flatMap(({ choices }) => choices.map((each: { finish_reason: unknown }) => each.finish_reason)),
    ).toContain('stop')
    expect(frames.at(-1).usage.cost_usd).toBeGreaterThan(0)
  })
})

it('end after 16 tokens without a limit, as with OpenAI', async () => {
  const { body } = await complete({ model: 'sim/echo', prompt: 'x'.repeat(400) })
  expect(body.choices[0].finish_reason).toBe('length')
  expect(body.usage.completion_tokens).toBe(16)
})

it('reach models of OpenAI with the name of the limit that all of them accept', async () => {
  await complete({ model: 'gpt-5', prompt: 'hi', max_tokens: 40 })
  expect(wire.last()?.path).toBe('/v1/chat/completions')
  expect(wire.last()?.body).toMatchObject({ max_completion_tokens: 40, messages: [{ role: 'user', content: 'hi' }] })
  expect(wire.last()?.body).not.toHaveProperty('max_tokens')
})

it.each<[object, string, string]>([
  [{ prompt: 'hi', echo: true }, 'unsupported_parameter', 'echo'],
  [{ prompt: 'hi', suffix: '.' }, 'unsupported_parameter', 'suffix'],
  [{ prompt: 'hi', logprobs: 3 }, 'unsupported_parameter', 'logprobs'],
  [{ prompt: 'hi', best_of: 2 }, 'unsupported_parameter', 'best_of'],
  [{ prompt: ['hi', 'you'] }, 'unsupported_parameter', 'prompt'],
  [{ prompt: [1, 2, 3] }, 'unsupported_parameter', 'prompt'],
  [{}, 'invalid_request', 'prompt'],
  [{ prompt: '' }, 'invalid_request', 'prompt'],
])('refuses %j', async (more, code, param) => {
  const { status, body } = await complete({ model: 'sim/echo', ...more })
  expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
})

it('reports the failure of a provider as other endpoints do', async () => {
  const { status, body } = await complete({ model: 'sim/fail-503', prompt: 'hi' })
  expect([status, body.error.type]).toEqual([502, 'upstream_error'])
})

it('charges a text completion like the chat completion that it is', async () => {
  const chat = { model: 'sim/echo', messages: [{ role: 'user', content: 'hello there' }], max_tokens: 40 }
  const asChat = await wire.send(chat, {}, '/v1/chat/completions')
  const asText = await complete({ model: 'sim/echo', prompt: 'hello there', max_tokens: 40 })
  expect(asText.body.usage).toEqual(asChat.body.usage)
})

const conversation = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the bug.' }] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Which one?', annotations: [] }] },
]

describe.each(models)('compactions by %s', (model) => {
  it('are a summary that every model can read', async () => {
    const { status, body, headers } = await compact({
      model,
      input: conversation,
      instructions: 'Be brief.',
      tools: [{}],
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: expect.any(String),
      object: 'response.compaction',
      created_at: expect.any(Number),
      output: [{ type: 'message', role: 'user', content: [{ type: 'input_text' }] }],
      usage: { input_tokens: expect.any(Number), cost_usd: Number(headers['x-svc-cost-usd']) },
    })
    // The model repeats the last message: it was asked for a summary.
    expect(body.output[0].content[0].text).toContain('summary')
    const next = await wire.send({ model, input: [...body.output, ...conversation.slice(0, 1)] }, {}, '/v1/responses')
    expect([next.status, next.body.error]).toEqual([200, null])
  })
})

it('lets OpenAI compact conversations with its own models', async () => {
  const answer = await compact({ model: 'gpt-5', input: conversation, instructions: 'Be brief.', service_tier: 'flex' })
  expect(wire.last()?.path).toBe('/v1/responses/compact')
  expect(wire.last()?.body).toEqual({ model: 'gpt-5', input: conversation, instructions: 'Be brief.' })
  expect([answer.status, answer.body.object]).toEqual([200, 'response.compaction'])
  expect(answer.body.output).toEqual([
    expect.objectContaining({ type: 'compaction', encrypted_content: expect.any(String) }),
  ])
  expect(answer.body.usage.cost_usd).toBeGreaterThan(0)
})

it('refuses to stream a compaction', async () => {
  const { status, body } = await compact({ model: 'sim/echo', input: 'hi', stream: true })
  expect([status, body.error.param]).toEqual([400, 'stream'])
})

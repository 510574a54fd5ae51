import { randomBytes } from 'node:crypto'
import { mintApiKey } from '@ratchet/contracts/api-key'
import { brandOf } from '@ratchet/contracts/brand'
import { AuthenticationError, NotFoundError, type OpenAI, RateLimitError } from 'openai'
import { openaiFor, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'
import { wires } from './wires.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({ env: { UNKNOWN_KEYS_PER_ADDRESS: '30' } })
}, 180_000)
afterAll(() => fleet?.stop(), 180_000)

const question = [{ role: 'user' as const, content: 'Why is the sky blue?' }]

describe('chat through the whole fleet', () => {
  it('answers the OpenAI SDK, and charges the cost in the usage', async () => {
    const before = await readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
    const { data, response } = await openaiFor(fleet)
      .chat.completions.create({ model: 'sim/small', messages: question })
      .withResponse()
    const usage = data.usage as OpenAI.CompletionUsage & { cost_usd: number }
    const after = await readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
    expect(data.choices[0]?.message.content).toMatch(/sky|blue/i)
    expect(usage.cost_usd).toBe(Number(response.headers.get('x-svc-cost-usd')))
    expect(usage.cost_usd).toBeCloseTo((usage.prompt_tokens * 0.1 + usage.completion_tokens * 0.4) / 1e6, 5)
    expect(before.balance - after.balance).toBe(BigInt(Math.round(usage.cost_usd * 1e6)) * 1_000n)
    expect(response.headers.get('x-svc-served-model')).toBe('sim/small')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(after.violations).toEqual([])
  })

  it('streams the same answer to the OpenAI SDK, with the cost in the last chunk', async () => {
    const client = openaiFor(fleet)
    const plain = await client.chat.completions.create({ model: 'sim/medium', messages: question })
    const stream = await client.chat.completions.create({
      model: 'sim/medium',
      messages: question,
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let usage: unknown = null
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      usage = chunk.usage ?? usage
    }
    expect(text.length).toBeGreaterThan(20)
    expect(usage).toMatchObject({ cost_usd: expect.any(Number), completion_tokens: expect.any(Number) })
    expect(plain.choices[0]?.message.content?.length).toBeGreaterThan(20)
  })

  it('sends no usage chunk to a client that did not request it', async () => {
    const text = await (await postChat(fleet, { model: 'sim/small', stream: true })).text()
    expect(text).not.toContain('"choices":[]')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('returns tool calls, plain and streamed', async () => {
    const tools: OpenAI.ChatCompletionTool[] = [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      },
    ]
    const request = { model: 'sim/tools', messages: question, tools }
    const plain = await openaiFor(fleet).chat.completions.create(request)
    const [call] = plain.choices[0]?.message.tool_calls ?? []
    expect(plain.choices[0]?.finish_reason).toBe('tool_calls')
    expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } })
    const streamed = await openaiFor(fleet).chat.completions.stream(request).finalChatCompletion()
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'get_weather' } })
  })

  it.each([
    ['n choices', { n: 3 }, (body: OpenAI.ChatCompletion) => expect(body.choices).toHaveLength(3)],
    ['logprobs', { logprobs: true }, (body: OpenAI.ChatCompletion) => expect(body.choices[0]?.logprobs).toBeTruthy()],
    [
      'a JSON answer',
      { response_format: { type: 'json_object' } },
      (body: OpenAI.ChatCompletion) => expect(JSON.parse(body.choices[0]?.message.content ?? '')).toBeTruthy(),
    ],
    [
      'a token limit',
      { max_completion_tokens: 3 },
      (body: OpenAI.ChatCompletion) => expect(body.choices[0]?.finish_reason).toBe('length'),
    ],
    [
      'images in content',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
            ],
          },
        ],
      },
      (body: OpenAI.ChatCompletion) => expect(body.choices[0]?.message.content).toBeTruthy(),
    ],
  ])('passes %s through', async (_name, body, check) => {
    const response = await postChat(fleet, { model: 'sim/small', body })
    expect(response.status).toBe(200)
    check((await response.json()) as OpenAI.ChatCompletion)
  })

  it.each(wires)(
    'answers with a JSON object on %s, also where the API of the model has no such setting',
    async (wire) => {
      const body = { response_format: { type: 'json_object' } }
      const response = await postChat(fleet, { model: `${wire}/small`, body })
      const { choices } = (await response.json()) as OpenAI.ChatCompletion
      expect(JSON.parse(choices[0]?.message.content ?? '')).toMatchObject({ answer: expect.any(String) })
    },
  )

  it('passes unknown parameters to the provider, but not tag and trace', async () => {
    await fleet.provider.reset()
    const headers = { 'x-svc-tag': 'checkout', 'x-svc-trace-id': 'run-1' }
    await postChat(fleet, { model: 'sim/small', body: { frobnicate: { level: 11 } }, headers })
    const { requests } = await fleet.provider.report()
    expect(requests[0]?.parameters).toMatchObject({ frobnicate: { level: 11 } })
    const sent = JSON.stringify(requests[0]?.headers)
    expect(sent).not.toMatch(/checkout|run-1|x-svc|x-internal/)
    expect(sent).not.toContain(fleet.workspace.apiKey)
  })

  it('causes the error classes of the SDK', async () => {
    const call = (apiKey: string, model: string) =>
      openaiFor(fleet, { apiKey }).chat.completions.create({ model, messages: question })
    const poor = await fleet.workspace.addMember('member')
    await expect(call(`${poor.apiKey}x`, 'sim/small')).rejects.toBeInstanceOf(AuthenticationError)
    await expect(call(poor.apiKey, 'no/such-model')).rejects.toBeInstanceOf(NotFoundError)
    await expect(call(poor.apiKey, 'no/such-model')).rejects.toMatchObject({ code: 'model_not_found', param: 'model' })
  })

  it('lists models with prices, and reads one by an id with a slash, as the SDK encodes it', async () => {
    const client = openaiFor(fleet)
    const models = await client.models.list()
    expect(models.data.map(({ id }) => id)).toContain('sim/large')
    const model = await client.models.retrieve('sim/large')
    expect(model).toMatchObject({ id: 'sim/large', pricing: { input_per_mtok: 2.5, output_per_mtok: 10 } })
    await expect(client.models.retrieve('sim/absent')).rejects.toBeInstanceOf(NotFoundError)
  })

  it('names a provider without a key', async () => {
    const response = await postChat(fleet, { model: 'openai/gpt-4o-mini' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'unknown_provider', param: 'model' } })
  })

  it('limits an address that guesses keys, with an error that the SDK understands, but no valid key', async () => {
    const guess = () => openaiFor(fleet, { apiKey: mintApiKey(brandOf().keyPrefix, randomBytes) }).models.list()
    const errors = await Promise.all(
      Array.from({ length: 120 }, () =>
        guess().then(
          () => null,
          (error: unknown) => error,
        ),
      ),
    )
    expect(errors.every((error) => error instanceof AuthenticationError || error instanceof RateLimitError)).toBe(true)
    expect(errors.filter((error) => error instanceof RateLimitError).length).toBeGreaterThan(0)
    expect((await openaiFor(fleet).models.list()).data.length).toBeGreaterThan(0)
  })
})

import { BadRequestError, InternalServerError, NotFoundError, OpenAI } from 'openai'
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { z } from 'zod'
import { type Account, ledgerOf, payFor, priceUsd } from './charge.ts'
import { openaiFor } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { type Wire, wires } from './wires.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let account: Account
let openai: OpenAI

beforeAll(async () => {
  fleet = await shareFleet()
  account = { databaseUrl: fleet.databaseUrl, workspace: await workspaceWith(fleet, { loggingEnabled: true }) }
  openai = openaiFor(fleet, { apiKey: account.workspace.apiKey })
}, 300_000)

const input = 'How do glaciers carve valleys in Norway?'
const Verdict = z.object({ summary: z.string(), score: z.number() })
const weather = zodResponsesFunction({ name: 'get_weather', parameters: z.object({ city: z.string() }) })

const costOf = ({ usage }: Response) => (usage as OpenAI.Responses.ResponseUsage & { cost_usd: number }).cost_usd
const tokensOf = ({ usage }: Response) => ({
  prompt: usage?.input_tokens ?? 0,
  cached: usage?.input_tokens_details.cached_tokens ?? 0,
  completion: usage?.output_tokens ?? 0,
})

/** All events of a stream, and the response that the SDK builds from them. */
async function follow(stream: ReturnType<OpenAI['responses']['stream']>) {
  const events: ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  return { events, final: await stream.finalResponse() }
}

describe.each(wires)('responses of %s by the helpers of the openai package', (wire) => {
  const model = `${wire}/quality-1`

  it('are streamed in the order of the typed events, at the price of the plain one', async () => {
    const plain = await openai.responses.create({ model, input })
    const { answer, paidUsd } = await payFor(account, () => follow(openai.responses.stream({ model, input })))
    const types = answer.events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(answer.final).toMatchObject({ output_text: plain.output_text, status: 'completed' })
    expect(tokensOf(answer.final)).toEqual(tokensOf(plain))
    expect([costOf(answer.final), paidUsd, costOf(plain)]).toEqual(Array(3).fill(priceUsd(model, tokensOf(plain))))
  })

  it('match a zod schema, plain and streamed', async () => {
    const request = { model, input, text: { format: zodTextFormat(Verdict, 'verdict') } }
    const plain = await openai.responses.parse(request)
    expect(Verdict.parse(plain.output_parsed)).toEqual(plain.output_parsed)
    const streamed = await openai.responses.stream(request).finalResponse()
    expect(streamed.output_parsed).toEqual(plain.output_parsed)
  })

  it('call a function with arguments that the SDK parses, plain and streamed', async () => {
    const request = { model: `${wire}/tools`, input, tools: [weather] }
    const plain = await openai.responses.parse(request)
    const { events, final } = await follow(openai.responses.stream(request))
    for (const { output } of [plain, final]) {
      const parsed = { city: expect.any(String) }
      expect(output).toMatchObject([{ type: 'function_call', name: 'get_weather', parsed_arguments: parsed }])
    }
    const pieces = events.map((event) => (event.type === 'response.function_call_arguments.delta' ? event.delta : ''))
    expect(JSON.parse(pieces.join(''))).toEqual({ city: expect.any(String) })
  })

  it('continue from parsed answers, to which the SDK adds fields', async () => {
    const text = { format: zodTextFormat(Verdict, 'verdict') }
    const { output } = await openai.responses.parse({ model, input, text, store: false })
    const items = [{ role: 'user', content: input }, ...output, { role: 'user', content: 'And the fjords?' }]
    const next = await openai.responses.create({ model, input: items as OpenAI.Responses.ResponseInput })
    expect(next.output_text).toMatch(/fjords/)
  })

  it('accept an image and instructions', async () => {
    const content = [
      { type: 'input_image' as const, image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' as const },
      { type: 'input_text' as const, text: 'What is this fjord?' },
    ]
    const request = { model, instructions: 'Be brief.', input: [{ role: 'user' as const, content }] }
    expect((await openai.responses.create(request)).output_text).toMatch(/fjord/)
  })

  it('price cached tokens at their own price, and count reasoning once', async () => {
    for (const name of ['cached-8', 'reasoning-40']) {
      const id = `${wire}/${name}`
      const plain = await payFor(account, () => openai.responses.create({ model: id, input }))
      const streamed = await payFor(account, () => openai.responses.stream({ model: id, input }).finalResponse())
      expect(tokensOf(plain.answer)).toMatchObject({ cached: name === 'cached-8' ? 8 : 0 })
      expect(tokensOf(streamed.answer)).toEqual(tokensOf(plain.answer))
      const price = priceUsd(id, tokensOf(plain.answer))
      expect([plain.paidUsd, streamed.paidUsd]).toEqual([price, price])
    }
  })

  it('throw when the provider fails or disconnects, without a charge', async () => {
    const failing: readonly (readonly [string, (model: string) => Promise<unknown>])[] = [
      ['fail-400', (id) => openai.responses.create({ model: id, input })],
      ['malformed', (id) => openai.responses.create({ model: id, input })],
      ['errorframe', (id) => openai.responses.stream({ model: id, input }).finalResponse()],
      ['cut-900', (id) => openai.responses.stream({ model: id, input }).finalResponse()],
    ]
    for (const [name, ask] of failing) {
      const { answer, paidUsd } = await payFor(account, () => ask(`${wire}/${name}`).catch((error: unknown) => error))
      expect([name, answer instanceof Error]).toEqual([name, true])
      if (name === 'fail-400') expect(answer).toBeInstanceOf(BadRequestError)
      if (name === 'malformed') expect(answer).toBeInstanceOf(InternalServerError)
      expect(paidUsd).toBe(0)
    }
  })
})

describe('a chain of responses', () => {
  it('can be continued by every provider, and each turn is charged for the earlier ones', async () => {
    const order: readonly Wire[] = ['sim-google', 'sim', 'sim-bedrock', 'sim-anthropic']
    let previous: Response | null = null
    for (const [turn, wire] of order.entries()) {
      const more = previous === null ? {} : { previous_response_id: previous.id }
      const next: Response = await openai.responses.create({
        model: `${wire}/quality-1`,
        input: `turn ${turn} fjord`,
        ...more,
      })
      expect(next).toMatchObject({ status: 'completed', previous_response_id: previous?.id ?? null })
      if (previous !== null) expect(tokensOf(next).prompt).toBeGreaterThan(tokensOf(previous).prompt)
      previous = next
    }
    const items = await openai.responses.inputItems.list(previous?.id ?? '')
    expect(items.data).toMatchObject([{ type: 'message', role: 'user', content: [{ text: 'turn 3 fjord' }] }])
  })

  it('continues when every turn is streamed, through a function call', async () => {
    const model = 'sim-anthropic/tools'
    const asked = await openai.responses.stream({ model, input, tools: [weather] }).finalResponse()
    const call = asked.output.find((item) => item.type === 'function_call')
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'sunny' }
    const more = { model, tools: [weather], previous_response_id: asked.id }
    const answered = await openai.responses.stream({ ...more, input: [output] }).finalResponse()
    expect(answered.output_text).toMatch(/\w/)
    const third = await openai.responses.create({ model, input: 'Thanks.', previous_response_id: answered.id })
    expect(third.status).toBe('completed')
  })

  it('continues with the items of the answer as well as with its id', async () => {
    const model = 'sim-google/tools'
    const asked = await openai.responses.create({ model, input, tools: [weather], store: false })
    const call = asked.output.find((item) => item.type === 'function_call')
    const answered = await openai.responses.create({
      model,
      store: false,
      tools: [weather],
      input: [
        { role: 'user', content: input },
        ...(asked.output as OpenAI.Responses.ResponseInputItem[]),
        { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'sunny' },
      ],
    })
    expect(answered.output_text).toMatch(/\w/)
    await expect(openai.responses.retrieve(asked.id)).rejects.toBeInstanceOf(NotFoundError)
  })
})

describe('hidden reasoning', () => {
  const model = 'sim/reasoning-40'
  const asTurns = (output: Response['output']) => [
    { role: 'user' as const, content: input },
    ...(output as OpenAI.Responses.ResponseInputItem[]),
    { role: 'user' as const, content: 'And the fjords?' },
  ]

  it('continues by its id, and is not sent to a model that cannot read it', async () => {
    const first = await openai.responses.create({ model, input })
    expect(first.output).toMatchObject([{ type: 'reasoning', encrypted_content: expect.any(String) }, {}])
    const second = await openai.responses.create({ model, input: 'Go on.', previous_response_id: first.id })
    const more = { model: 'sim/reasoning-41', input: 'Go on.', previous_response_id: second.id }
    expect(await openai.responses.create(more)).toMatchObject({ status: 'completed' })
  })

  it('continues with its items when nothing is stored, with or without the encrypted content', async () => {
    const plain = openaiFor(fleet)
    const { output } = await plain.responses.create({ model, input })
    expect((await plain.responses.create({ model, input: asTurns(output) })).output_text).toMatch(/fjords/)
    const bare = output.map((item) => (item.type === 'reasoning' ? { ...item, encrypted_content: null } : item))
    expect((await plain.responses.create({ model, input: asTurns(bare) })).output_text).toMatch(/fjords/)
  })

  it('does not end a chain when the limit cut it off before an answer', async () => {
    const cut = await openai.responses.create({ model: 'sim/reasoning-40', input, max_output_tokens: 16 })
    expect(cut).toMatchObject({ status: 'incomplete', output: [{ type: 'reasoning' }] })
    const next = await openai.responses.create({ model, input: 'Go on.', previous_response_id: cut.id })
    expect(next.status).toBe('completed')
  })
})

describe.each(wires)('functions of %s', (wire) => {
  const model = wire === 'sim-google' ? 'sim-google/gemini-3-tools' : `${wire}/tools`

  it('may return an image', async () => {
    const asked = await openai.responses.create({ model, input, tools: [weather] })
    const call = asked.output.find((item) => item.type === 'function_call')
    const image = {
      type: 'input_image' as const,
      image_url: 'data:image/png;base64,iVBORw0KGgo=',
      detail: 'auto' as const,
    }
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: [image] }
    const more = { model, tools: [weather], previous_response_id: asked.id }
    expect((await openai.responses.create({ ...more, input: [output] })).output_text).toMatch(/\w/)
  })

  it('are called with ids that every provider accepts, and continue at each of them', async () => {
    const asked = await openai.responses.create({ model, input, tools: [weather] })
    const call = asked.output.find((item) => item.type === 'function_call')
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'sunny' }
    expect(call?.call_id.length).toBeLessThanOrEqual(40)
    for (const other of wires) {
      const more = { model: `${other}/tools`, tools: [weather], previous_response_id: asked.id }
      expect((await openai.responses.create({ ...more, input: [output] })).output_text).toMatch(/\w/)
    }
  })
})

it.each(['create', 'stream'] as const)('let Claude continue thinking between its calls: %s', async (how) => {
  const model = 'sim-anthropic/budget-tools'
  const ask = (more: object) => {
    const request = { model, input, tools: [weather], reasoning: { effort: 'high' as const }, ...more }
    return how === 'create'
      ? openai.responses.create({ ...request, stream: false })
      : openai.responses.stream(request).finalResponse()
  }
  const asked = await ask({})
  const call = (asked.output as Response['output']).find((item) => item.type === 'function_call')
  const output = { type: 'function_call_output', call_id: call?.call_id, output: 'sunny' }
  const answered = await ask({ input: [output], previous_response_id: asked.id })
  expect([asked, answered].map(({ usage }) => usage?.output_tokens_details.reasoning_tokens)).toEqual([12, 12])
})

it('names a refused item by its index in the client`s own list', async () => {
  const { id } = await openai.responses.create({ model: 'sim/small', input })
  const image = { type: 'input_image' as const, image_url: 'https://example.com/a.png', detail: 'auto' as const }
  const items = [
    { role: 'user' as const, content: 'Look.' },
    { role: 'user' as const, content: [image] },
  ]
  const request = { model: 'sim-bedrock/large', input: items, previous_response_id: id }
  const error = await openai.responses.create(request).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BadRequestError)
  expect(error).toMatchObject({ param: 'input.1.content.0.image_url' })
})

it('answers the same for a missing response and for one of another workspace', async () => {
  const { id } = await openai.responses.create({ model: 'sim/small', input })
  const outsider = openaiFor(fleet)
  const reported = async (client: OpenAI, requested: string) => {
    const error = await client.responses.retrieve(requested).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(NotFoundError)
    return { ...(error as NotFoundError & { error: object }).error, request_id: '' }
  }
  const foreign = await reported(outsider, id)
  expect(foreign).toEqual(await reported(outsider, `resp_${'0'.repeat(32)}`))
  expect(foreign).toEqual(await reported(outsider, 'resp_nonsense'))
  expect(JSON.stringify(foreign)).not.toContain(id)
})

it('refuses an unsupported parameter by its path, as a strict client asks', async () => {
  const refused = [
    {
      model: 'sim-anthropic/large',
      tools: [{ type: 'file_search' as const, vector_store_ids: ['vs_1'] }],
      param: 'tools.0.type',
    },
    { model: 'sim-anthropic/large', truncation: 'auto' as const, param: 'truncation' },
    { model: 'sim-bedrock/large', background: true, param: 'background' },
    { model: 'sim-bedrock/large', reasoning: { effort: 'low' as const }, param: 'reasoning.effort' },
    { model: 'sim-anthropic/large', text: { format: { type: 'json_object' as const } }, param: 'text.format.type' },
    {
      model: 'sim-bedrock/large',
      input: [
        {
          role: 'user' as const,
          content: [{ type: 'input_image' as const, image_url: 'https://example.com/a.png', detail: 'auto' as const }],
        },
      ],
      param: 'input.0.content.0.image_url',
    },
  ]
  const strict = { 'x-svc-strict': 'on' }
  for (const { param, ...body } of refused) {
    const { answer, paidUsd } = await payFor(account, () =>
      openai.responses.create({ input, ...body }, { headers: strict }).catch((error: unknown) => error),
    )
    expect(answer).toBeInstanceOf(OpenAI.BadRequestError)
    const code = expect.stringMatching(/^unsupported_(parameter|tool)$/)
    expect(answer).toMatchObject({ code, param })
    expect((answer as Error).message).not.toMatch(/messages\.|image_url\.url|reasoning_effort|response_format/)
    expect(paidUsd).toBe(0)
  }
})

it('leaves no hold', async () => {
  expect(await ledgerOf(account)).toMatchObject({ held: 0n, open: 0, violations: [] })
})

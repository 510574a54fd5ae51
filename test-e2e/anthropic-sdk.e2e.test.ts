import Anthropic from '@anthropic-ai/sdk'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { z } from 'zod'
import { ledgerOf, payFor, priceUsd } from './charge.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { wires } from './wires.ts'

let fleet: SharedFleet
let anthropic: Anthropic

beforeAll(async () => {
  fleet = await shareFleet()
  anthropic = new Anthropic({ baseURL: fleet.url, apiKey: fleet.workspace.apiKey, authToken: null, maxRetries: 0 })
}, 300_000)

const messages = [{ role: 'user' as const, content: 'How do glaciers carve valleys in Norway?' }]
const weather = {
  name: 'get_weather',
  description: 'Weather.',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
}
const time = { ...weather, name: 'get_time' }
const Verdict = z.object({ summary: z.string(), score: z.number() })

const costOf = ({ usage }: Anthropic.Message) => (usage as Anthropic.Usage & { cost_usd: number }).cost_usd
const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')
const callsOf = ({ content }: Anthropic.Message) => content.filter((block) => block.type === 'tool_use')
const tokensOf = ({ usage }: Anthropic.Message) => {
  const cached = usage.cache_read_input_tokens ?? 0
  return { prompt: usage.input_tokens + cached, cached, completion: usage.output_tokens }
}

describe.each(wires)('messages of %s by the @anthropic-ai/sdk package', (wire) => {
  const model = `${wire}/quality-1`
  const request = { model, messages, max_tokens: 500 }

  it('answers, and charges what its usage costs', async () => {
    const { answer, paidUsd } = await payFor(fleet, () => anthropic.messages.create(request).withResponse())
    const { data, response } = answer
    expect(data).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn', stop_sequence: null })
    expect(data.id).toMatch(/^msg_/)
    expect(textOf(data)).toMatch(/glaciers|valleys|norway/)
    expect(paidUsd).toBe(priceUsd(model, tokensOf(data)))
    expect([costOf(data), Number(response.headers.get('x-svc-cost-usd'))]).toEqual([paidUsd, paidUsd])
    expect(response.headers.get('x-svc-served-model')).toBe(model)
  })

  it('streams the same answer at the same price, assembled by the SDK', async () => {
    const plain = await anthropic.messages.create(request)
    const events: Anthropic.MessageStreamEvent[] = []
    const { answer, paidUsd } = await payFor(fleet, () => {
      const stream = anthropic.messages.stream(request)
      stream.on('streamEvent', (event) => events.push(event))
      return stream.finalMessage()
    })
    expect(answer).toMatchObject({ content: [{ type: 'text', text: textOf(plain) }], stop_reason: 'end_turn' })
    expect(tokensOf(answer)).toEqual(tokensOf(plain))
    expect(paidUsd).toBe(costOf(plain))
    // The SDK's sum does not include fields that it does not know.
    expect(events.find(({ type }) => type === 'message_delta')).toMatchObject({ usage: { cost_usd: paidUsd } })
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['message_start', 'message_stop'])
  })

  it('calls a tool, plain and streamed, and continues with its result', async () => {
    const asked = { ...request, model: `${wire}/tools`, tools: [weather] }
    const plain = await anthropic.messages.create(asked)
    const streamed = await anthropic.messages.stream(asked).finalMessage()
    for (const answer of [plain, streamed]) {
      expect(answer.stop_reason).toBe('tool_use')
      expect(callsOf(answer)).toEqual([
        expect.objectContaining({
          id: expect.stringMatching(/./),
          name: 'get_weather',
          input: { city: expect.any(String) },
        }),
      ])
      const results = callsOf(answer).map(({ id }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: [{ type: 'text' as const, text: 'Hardanger is sunny' }],
      }))
      const turns = [
        ...messages,
        { role: 'assistant' as const, content: answer.content },
        { role: 'user' as const, content: results },
      ]
      const ended = await anthropic.messages.create({ ...asked, messages: turns })
      expect(ended).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text' }] })
    }
  })

  it('continues with the results of parallel calls', async () => {
    const calls = [weather, time].map(({ name }, index) => ({
      type: 'tool_use' as const,
      id: `toolu_${index}`,
      name,
      input: { city: 'Bergen' },
    }))
    const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'sunny' }))
    const answer = await anthropic.messages.create({
      ...request,
      model: `${wire}/tools`,
      tools: [weather, time],
      messages: [...messages, { role: 'assistant', content: calls }, { role: 'user', content: results }],
    })
    expect(answer.stop_reason).toBe('end_turn')
  })

  it('accepts an image, with a system prompt in blocks', async () => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'iVBORw0KGgo=' }
    const content = [
      { type: 'image' as const, source },
      { type: 'text' as const, text: 'What is this fjord?' },
    ]
    const system = [{ type: 'text' as const, text: 'Be brief.' }]
    const answer = await anthropic.messages.create({ ...request, system, messages: [{ role: 'user', content }] })
    expect(textOf(answer)).toMatch(/fjord/)
  })

  it('returns thinking, and counts it once', async () => {
    const asked = { ...request, model: `${wire}/reasoning-40`, thinking: { type: 'adaptive' as const } }
    const plain = await payFor(fleet, () => anthropic.messages.create(asked))
    const streamed = await payFor(fleet, () => anthropic.messages.stream(asked).finalMessage())
    for (const { answer, paidUsd } of [plain, streamed]) {
      const { output_tokens } = answer.usage
      expect(output_tokens).toBeGreaterThan(40)
      expect(output_tokens).toBeLessThan(150)
      expect(paidUsd).toBe(priceUsd(asked.model, tokensOf(answer)))
    }
    expect(streamed.answer.content).toEqual(plain.answer.content)
  })

  it('prices cached tokens at their own price', async () => {
    const cached = `${wire}/cached-8`
    const { answer, paidUsd } = await payFor(fleet, () => anthropic.messages.create({ ...request, model: cached }))
    expect(answer.usage.cache_read_input_tokens).toBe(8)
    expect(paidUsd).toBe(priceUsd(cached, tokensOf(answer)))
  })

  it('returns an answer of a zod schema', async () => {
    const asked = { ...request, output_config: { format: zodOutputFormat(Verdict) } }
    const plain = await anthropic.messages.parse(asked)
    expect(Verdict.parse(plain.parsed_output)).toEqual(plain.parsed_output)
    const streamed = await anthropic.messages.stream(asked).finalMessage()
    expect(JSON.parse(textOf(streamed))).toEqual(plain.parsed_output)
  })

  it('has the stop reason max_tokens at the limit', async () => {
    for (const answer of [
      await anthropic.messages.create({ ...request, max_tokens: 5 }),
      await anthropic.messages.stream({ ...request, max_tokens: 5 }).finalMessage(),
    ]) {
      expect(answer).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 5 } })
    }
  })

  it('ends before a stop sequence', async () => {
    const whole = textOf(await anthropic.messages.create(request))
    const answer = await anthropic.messages.create({ ...request, stop_sequences: [whole.slice(20, 26)] })
    expect(textOf(answer)).toBe(whole.slice(0, 20))
  })

  it.each([
    ['fail-400', Anthropic.BadRequestError],
    ['malformed', Anthropic.InternalServerError],
  ])('throws the error class of the SDK for %s, without a charge', async (name, errorClass) => {
    const { answer, paidUsd } = await payFor(fleet, () =>
      anthropic.messages.create({ ...request, model: `${wire}/${name}` }).catch((error: unknown) => error),
    )
    expect(answer).toBeInstanceOf(errorClass)
    expect(paidUsd).toBe(0)
  })

  it('throws when a stream breaks, without a charge', async () => {
    for (const name of ['errorframe', 'cut-900']) {
      const { answer, paidUsd } = await payFor(fleet, () =>
        anthropic.messages
          .stream({ ...request, model: `${wire}/${name}` })
          .finalMessage()
          .catch((error: unknown) => error),
      )
      expect(answer).toBeInstanceOf(Anthropic.AnthropicError)
      expect(paidUsd).toBe(0)
    }
  })
})

it('leaves no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})

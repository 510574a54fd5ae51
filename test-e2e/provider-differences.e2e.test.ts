import type { OpenAI } from 'openai'
import { ledgerOf, payFor, priceUsd } from './charge.ts'
import { openaiFor } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { type Wire, wires } from './wires.ts'

let fleet: SharedFleet
let openai: OpenAI

beforeAll(async () => {
  fleet = await shareFleet()
  openai = openaiFor(fleet)
}, 300_000)

const messages = [{ role: 'user' as const, content: 'How do glaciers carve valleys in Norway?' }]

type Usage = OpenAI.CompletionUsage & { cost_usd: number }
type Asked = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'messages'> &
  Partial<OpenAI.ChatCompletionCreateParams>

const ask = (asked: Asked) => openai.chat.completions.create({ messages, ...asked, stream: false })

/** The last usage and the finish reason of a stream. */
async function askStreamed(model: string) {
  const asked = { model, messages, stream_options: { include_usage: true } }
  const { usage, choices } = await openai.chat.completions.stream(asked).finalChatCompletion()
  return { usage: usage as Usage, reason: choices[0]?.finish_reason }
}

const image = (url: string) => [
  { role: 'user' as const, content: [{ type: 'image_url' as const, image_url: { url } }] },
]

describe('an unsupported parameter', () => {
  it.each<[Wire, string, object]>([
    ['sim-anthropic', 'n', { n: 2 }],
    ['sim-anthropic', 'logprobs', { logprobs: true }],
    ['sim-anthropic', 'frequency_penalty', { frequency_penalty: 0.5 }],
    ['sim-google', 'n', { n: 2 }],
    ['sim-google', 'logit_bias', { logit_bias: { 5: 1 } }],
    ['sim-google', 'messages.0.content.0.image_url.url', { messages: image('http://example.com/fjord.png') }],
    ['sim-bedrock', 'presence_penalty', { presence_penalty: 1 }],
    ['sim-bedrock', 'messages.0.content.0.image_url', { messages: image('https://example.com/fjord.png') }],
  ])('of %s, %s, is refused by its path, without a charge or a call', async (wire, param, body) => {
    await fleet.provider.reset()
    const { answer, paidUsd } = await payFor(fleet, () =>
      ask({ model: `${wire}/large`, ...body }).catch((error: unknown) => error),
    )
    expect(answer).toMatchObject({ status: 400, code: 'unsupported_parameter', param, type: 'invalid_request_error' })
    expect((answer as Error).message).toContain(param)
    expect(paidUsd).toBe(0)
    expect((await fleet.provider.report()).totals.requests).toBe(0)
  })

  it.each<[Wire, string, object]>([
    ['sim-anthropic', 'seed', { seed: 7 }],
    ['sim-anthropic', 'frobnicate', { frobnicate: 1 }],
    ['sim-google', 'store', { store: true }],
    ['sim-google', 'parallel_tool_calls', { parallel_tool_calls: false }],
    ['sim-bedrock', 'seed', { seed: 7 }],
    ['sim-bedrock', 'name', { messages: [{ ...messages[0], name: 'Ada' }] }],
  ])('of %s, %s, is left out and named, and refused for a strict client', async (wire, name, body) => {
    const sent = (headers = {}) =>
      openai.chat.completions.create({ model: `${wire}/small`, messages, ...body }, { headers }).withResponse()
    const { response } = await sent()
    expect(response.headers.get('x-svc-dropped')).toBe(name)
    await expect(sent({ 'x-svc-strict': 'on' })).rejects.toMatchObject({ status: 400, code: 'unsupported_parameter' })
  })

  it.each<Wire>(['sim', 'sim-anthropic', 'sim-google'])('of %s is not an https link of an image', async (wire) => {
    const answer = await ask({ model: `${wire}/large`, messages: image('https://example.com/fjord.png') })
    expect(answer.choices[0]?.message.content).toMatch(/\w/)
  })

  it.each(wires)('of %s is accepted with null or its default', async (wire) => {
    const none = { n: 1, logit_bias: null, presence_penalty: 0, logprobs: false, seed: null, stop: null }
    const answer = await ask({ model: `${wire}/quality-1`, ...none, service_tier: 'auto', user: 'u1', metadata: null })
    expect(answer.choices).toHaveLength(1)
  })
})

describe.each(wires)('endings and counts of %s', (wire) => {
  const model = `${wire}/quality-1`

  it.each([false, true])('have the finish reason length at the token limit, streamed: %s', async (stream) => {
    for (const limit of ['max_tokens', 'max_completion_tokens']) {
      const cut = { model, messages, [limit]: 5 }
      const streamed = { ...cut, stream_options: { include_usage: true } }
      const { choices, usage } = stream
        ? await openai.chat.completions.stream(streamed).finalChatCompletion()
        : await ask(cut)
      expect(choices[0]?.finish_reason).toBe('length')
      expect(usage?.completion_tokens).toBe(5)
    }
  })

  it('ends before a stop sequence', async () => {
    const whole = (await ask({ model })).choices[0]?.message.content ?? ''
    const stop = whole.slice(20, 26)
    for (const asked of [stop, [stop, 'never said']]) {
      const { choices } = await ask({ model, stop: asked })
      expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: whole.slice(0, 20) } })
    }
  })

  it('prices cached tokens at their own price, plain and streamed', async () => {
    const cached = `${wire}/cached-8`
    const { answer, paidUsd } = await payFor(fleet, () => ask({ model: cached }))
    const streamed = await payFor(fleet, () => askStreamed(cached))
    const usage = answer.usage as Usage
    expect(usage.prompt_tokens_details).toMatchObject({ cached_tokens: 8 })
    expect(streamed.answer.usage).toMatchObject({ ...usage })
    const { prompt_tokens: prompt, completion_tokens: completion } = usage
    const price = priceUsd(cached, { prompt, cached: 8, completion })
    expect([usage.cost_usd, paidUsd, streamed.paidUsd]).toEqual([price, price, price])
  })

  it('counts reasoning once, as a part of the completion, plain and streamed', async () => {
    const thinking = `${wire}/reasoning-900`
    const { answer, paidUsd } = await payFor(fleet, () => ask({ model: thinking }))
    const streamed = await payFor(fleet, () => askStreamed(thinking))
    const usage = answer.usage as Usage
    expect(usage.completion_tokens).toBeGreaterThan(900)
    expect(usage.completion_tokens).toBeLessThan(1_000)
    if (wire !== 'sim-bedrock') expect(usage.completion_tokens_details?.reasoning_tokens).toBe(900)
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
    expect(streamed.answer).toMatchObject({ usage: { ...usage }, reason: 'stop' })
    const price = priceUsd(thinking, { prompt: usage.prompt_tokens, completion: usage.completion_tokens })
    expect([usage.cost_usd, paidUsd, streamed.paidUsd]).toEqual([price, price, price])
  })

  it('count tokens when the provider reports none, and charge nothing for an explicit zero', async () => {
    const silent = await payFor(fleet, () => ask({ model: `${wire}/no-usage` }))
    const usage = silent.answer.usage as Usage
    expect(usage.prompt_tokens).toBeGreaterThan(5)
    expect(usage.completion_tokens).toBeGreaterThan(5)
    const tokens = { prompt: usage.prompt_tokens, completion: usage.completion_tokens }
    expect(silent.paidUsd).toBe(priceUsd(`${wire}/no-usage`, tokens))
    const zero = await payFor(fleet, () => ask({ model: `${wire}/zero-usage` }))
    expect([zero.paidUsd, (zero.answer.usage as Usage).cost_usd]).toEqual([0, 0])
  })
})

it('leaves no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})

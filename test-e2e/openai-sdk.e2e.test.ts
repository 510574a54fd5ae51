import { OpenAI } from 'openai'
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { ledgerOf, payFor, priceUsd } from './charge.ts'
import { openaiFor } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { wires } from './wires.ts'

let fleet: SharedFleet
let openai: OpenAI

beforeAll(async () => {
  fleet = await shareFleet()
  openai = openaiFor(fleet)
}, 300_000)

const messages = [{ role: 'user' as const, content: 'How do glaciers carve valleys in Norway?' }]
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'kelvin'] } },
  required: ['city', 'unit'],
  additionalProperties: false,
}
const weather = { type: 'function' as const, function: { name: 'get_weather', description: 'Weather.', parameters } }
const time = { type: 'function' as const, function: { name: 'get_time', description: 'Local time.', parameters } }
const Verdict = z.object({ summary: z.string(), score: z.number(), tags: z.array(z.string()) })

type BilledUsage = OpenAI.CompletionUsage & { cost_usd: number }
type Usage = OpenAI.CompletionUsage | null | undefined

const costOf = (usage: Usage) => (usage as BilledUsage).cost_usd
const tokensOf = (usage: Usage) => ({ prompt: usage?.prompt_tokens ?? 0, completion: usage?.completion_tokens ?? 0 })

describe.each(wires)('chat of %s by the openai package', (wire) => {
  const model = `${wire}/quality-1`

  it('answers, and charges what its usage costs', async () => {
    const { answer, paidUsd } = await payFor(fleet, () =>
      openai.chat.completions.create({ model, messages }).withResponse(),
    )
    const { data, response } = answer
    expect(data).toMatchObject({ object: 'chat.completion', choices: [{ index: 0, finish_reason: 'stop' }] })
    expect(data.choices[0]?.message).toMatchObject({
      role: 'assistant',
      content: expect.stringMatching(/glaciers|valleys/),
    })
    expect(paidUsd).toBe(priceUsd(model, tokensOf(data.usage)))
    expect([costOf(data.usage), Number(response.headers.get('x-svc-cost-usd'))]).toEqual([paidUsd, paidUsd])
    expect(response.headers.get('x-svc-served-model')).toBe(model)
    expect((data as { _request_id?: string | null })._request_id).toBe(response.headers.get('x-request-id'))
  })

  it('streams the same answer at the same price', async () => {
    const plain = await openai.chat.completions.create({ model, messages })
    const options = { stream_options: { include_usage: true } } as const
    const { answer, paidUsd } = await payFor(fleet, () =>
      openai.chat.completions.stream({ model, messages, ...options }).finalChatCompletion(),
    )
    expect(answer.choices[0]?.message.content).toBe(plain.choices[0]?.message.content)
    expect(answer.choices[0]?.finish_reason).toBe('stop')
    expect(answer.usage).toMatchObject({ ...plain.usage })
    expect(paidUsd).toBe(costOf(answer.usage))
  })

  it('calls one tool, plain and streamed', async () => {
    const request = { model: `${wire}/tools`, messages, tools: [weather] }
    const plain = await openai.chat.completions.create(request)
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion()
    for (const { choices } of [plain, streamed]) {
      expect(choices[0]?.finish_reason).toBe('tool_calls')
      const [call, ...others] = choices[0]?.message.tool_calls ?? []
      expect(others).toEqual([])
      expect(call).toMatchObject({
        id: expect.stringMatching(/./),
        type: 'function',
        function: { name: 'get_weather' },
      })
      const sent = call?.type === 'function' ? JSON.parse(call.function.arguments) : null
      expect(sent).toEqual({ city: expect.stringMatching(/./), unit: 'celsius' })
    }
  })

  it('continues with the results of parallel calls', async () => {
    const called = [weather, time].map(({ function: { name } }, index) => ({
      id: `call_${index}`,
      type: 'function' as const,
      function: { name, arguments: '{"city":"Bergen","unit":"celsius"}' },
    }))
    const results = called.map(({ id, function: { name } }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: `${name} says Hardanger`,
    }))
    const { choices } = await openai.chat.completions.create({
      model: `${wire}/tools`,
      messages: [...messages, { role: 'assistant', content: null, tool_calls: called }, ...results],
      tools: [weather, time],
    })
    expect(choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.stringMatching(/\w/) },
    })
  })

  it.each([false, true])('runs a tool conversation to its end, streamed: %s', async (stream) => {
    const asked: unknown[] = []
    const run = (args: { city: string }) => {
      asked.push(args)
      return `sunny in ${args.city}`
    }
    const tool = {
      type: 'function' as const,
      function: { ...weather.function, parse: JSON.parse, function: run },
    }
    const request = { model: `${wire}/tools`, messages, tools: [tool] }
    const runner = stream
      ? openai.chat.completions.runTools({ ...request, stream: true })
      : openai.chat.completions.runTools({ ...request, stream: false })
    expect(await runner.finalContent()).toMatch(/\w+/)
    expect(asked).toEqual([{ city: expect.any(String), unit: 'celsius' }])
    expect(runner.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  it('returns an answer of a zod schema, plain and streamed', async () => {
    const request = { model, messages, response_format: zodResponseFormat(Verdict, 'verdict') }
    const plain = await openai.chat.completions.parse(request)
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion()
    const parsed = plain.choices[0]?.message.parsed
    expect(Verdict.parse(parsed)).toEqual(parsed)
    expect(streamed.choices[0]?.message.parsed).toEqual(parsed)
  })

  it('continues from parsed messages, to which the SDK adds fields', async () => {
    const response_format = zodResponseFormat(Verdict, 'verdict')
    const parsed = await openai.chat.completions.parse({ model, messages, response_format })
    const tool = zodFunction({ name: 'get_weather', parameters: z.object({ city: z.string() }) })
    const asked = { model: `${wire}/tools`, tools: [tool] }
    const called = await openai.chat.completions.parse({ ...asked, messages })
    const calls = called.choices[0]?.message.tool_calls ?? []
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'sunny' }))
    const turns = [parsed, called].flatMap(({ choices }) => choices.map(({ message }) => message))
    const answer = await openai.chat.completions.create({ ...asked, messages: [...messages, ...turns, ...results] })
    expect([calls.length, answer.choices[0]?.finish_reason]).toEqual([1, 'stop'])
  })

  it('respects tool_choice', async () => {
    const choose = (tool_choice: OpenAI.ChatCompletionToolChoiceOption) =>
      openai.chat.completions.create({ model, messages, tools: [time, weather], tool_choice })
    const reasonOf = ({ choices }: OpenAI.ChatCompletion) => choices[0]?.finish_reason
    expect(reasonOf(await choose('none'))).toBe('stop')
    expect(reasonOf(await choose('auto'))).toBe('stop')
    expect(reasonOf(await choose('required'))).toBe('tool_calls')
    const named = await choose({ type: 'function', function: { name: 'get_weather' } })
    const names = named.choices[0]?.message.tool_calls?.map((call) => call.type === 'function' && call.function.name)
    expect(new Set(names)).toEqual(new Set(['get_weather']))
  })

  it('accepts an image in the request', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo='
    const text = { type: 'text' as const, text: 'What is this fjord?' }
    const content = [text, { type: 'image_url' as const, image_url: { url } }]
    const answer = await openai.chat.completions.create({ model, messages: [{ role: 'user', content }] })
    expect(answer.choices[0]?.message.content).toMatch(/fjord/)
  })

  it('accepts a system prompt and a long conversation', async () => {
    const answer = await openai.chat.completions.create({
      model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        ...messages,
        { role: 'assistant', content: 'Slowly.' },
        { role: 'user', content: 'And the moraines?' },
      ],
    })
    expect(answer.choices[0]?.message.content).toMatch(/moraines/)
  })

  it.each([
    ['fail-400', OpenAI.BadRequestError],
    ['fail-500', OpenAI.InternalServerError],
    ['malformed', OpenAI.InternalServerError],
  ])('throws the error class of the SDK for %s, without a charge', async (name, errorClass) => {
    const { answer, paidUsd } = await payFor(fleet, () =>
      openai.chat.completions.create({ model: `${wire}/${name}`, messages }).catch((error: unknown) => error),
    )
    expect(answer).toBeInstanceOf(errorClass)
    expect(paidUsd).toBe(0)
  })

  it('throws when a stream breaks, without a charge', async () => {
    for (const name of ['errorframe', 'cut-900']) {
      const { answer, paidUsd } = await payFor(fleet, () =>
        openai.chat.completions
          .stream({ model: `${wire}/${name}`, messages })
          .finalChatCompletion()
          .catch(String),
      )
      expect([name, answer]).toEqual([name, expect.stringMatching(/Error/)])
      expect(paidUsd).toBe(0)
    }
  })
})

// Bedrock's format has no parameter for it, so the simulated Bedrock never calls in parallel.
it.each(wires.filter((wire) => wire !== 'sim-bedrock'))(
  'calls tools of %s in parallel, with different ids',
  async (wire) => {
    const request = { model: `${wire}/tools`, messages, tools: [weather, time], parallel_tool_calls: true }
    const plain = await openai.chat.completions.create(request)
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion()
    for (const { choices } of [plain, streamed]) {
      const calls = choices[0]?.message.tool_calls ?? []
      expect(calls).toMatchObject([{ function: { name: 'get_weather' } }, { function: { name: 'get_time' } }])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    }
  },
)

it('leaves no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})

import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { z } from 'zod'
import { ledgerOf, payFor, priceUsd } from './charge.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { wires } from './wires.ts'

let fleet: SharedFleet

beforeAll(async () => {
  fleet = await shareFleet()
}, 300_000)

const prompt = 'How do glaciers carve valleys in Norway?'
const Verdict = z.object({ summary: z.string(), score: z.number() })
const weather = tool(({ city }: { city: string }) => `sunny in ${city}`, {
  name: 'get_weather',
  description: 'Weather.',
  schema: z.object({ city: z.string() }),
})

const access = () => ({
  apiKey: fleet.workspace.apiKey,
  configuration: { baseURL: `${fleet.url}/v1` },
  maxRetries: 0,
})
const chat = (model: string, more: object = {}) => new ChatOpenAI({ model, ...access(), ...more })

interface Counted {
  readonly usage_metadata?: { readonly input_tokens: number; readonly output_tokens: number } | undefined
}
const tokensOf = ({ usage_metadata: usage }: Counted) => ({
  prompt: usage?.input_tokens ?? 0,
  completion: usage?.output_tokens ?? 0,
})

async function readAll(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | null = null
  for await (const chunk of stream) whole = whole === null ? chunk : whole.concat(chunk)
  if (whole === null) throw new Error('the stream was empty')
  return whole
}

describe.each(wires)('%s by the @langchain/openai package', (wire) => {
  const id = `${wire}/quality-1`

  it('invokes, and charges what its usage costs', async () => {
    const { answer, paidUsd } = await payFor(fleet, () => chat(id).invoke(prompt))
    expect(answer.text).toMatch(/glaciers|valleys|norway/)
    expect(answer.response_metadata).toMatchObject({ finish_reason: 'stop', usage: { cost_usd: paidUsd } })
    expect(paidUsd).toBe(priceUsd(id, tokensOf(answer)))
  })

  it('streams the same text at the same price', async () => {
    const plain = await chat(id).invoke(prompt)
    const { answer, paidUsd } = await payFor(fleet, async () => readAll(await chat(id).stream(prompt)))
    expect(answer.text).toBe(plain.text)
    expect(tokensOf(answer)).toEqual(tokensOf(plain))
    expect(paidUsd).toBe(priceUsd(id, tokensOf(plain)))
  })

  it('calls a bound tool, plain and streamed, and continues with its result', async () => {
    const model = chat(`${wire}/tools`).bindTools([weather])
    const plain = await model.invoke(prompt)
    const streamed = await readAll(await model.stream(prompt))
    for (const called of [plain, streamed]) {
      expect(called.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: expect.any(String) } }])
      const call = called.tool_calls?.[0]
      const result = new ToolMessage({ tool_call_id: call?.id ?? '', content: 'sunny' })
      const ended = await model.invoke([new HumanMessage(prompt), called, result])
      expect(ended.tool_calls).toEqual([])
      expect(ended.text).toMatch(/\w/)
    }
  })

  it.each(['jsonSchema', 'functionCalling'] as const)('returns an answer of a schema by %s', async (method) => {
    const structured = chat(id).withStructuredOutput(Verdict, { name: 'verdict', method })
    const verdict = await structured.invoke(prompt)
    expect(Verdict.parse(verdict)).toEqual(verdict)
  })

  it('respects a token limit and a stop sequence', async () => {
    const whole = (await chat(id).invoke(prompt)).text
    const cut = await chat(id, { maxTokens: 5 }).invoke(prompt)
    expect([cut.response_metadata.finish_reason, tokensOf(cut).completion]).toEqual(['length', 5])
    const stopped = await chat(id, { stop: [whole.slice(20, 26)] }).invoke(prompt)
    expect(stopped.text).toBe(whole.slice(0, 20))
  })

  it('throws, without a charge', async () => {
    const { answer, paidUsd } = await payFor(fleet, () =>
      chat(`${wire}/fail-400`)
        .invoke(prompt)
        .catch((error: unknown) => error),
    )
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(paidUsd).toBe(0)
  })
})

it('works with the Responses API as well', async () => {
  const { answer, paidUsd } = await payFor(fleet, () =>
    chat('sim-google/quality-1', { useResponsesApi: true }).invoke(prompt),
  )
  expect(answer.text).toMatch(/glaciers|valleys|norway/)
  expect(paidUsd).toBe(priceUsd('sim-google/quality-1', tokensOf(answer)))
})

it.each(['sim/embed', 'sim-google/embed'])('embeds documents and a query by %s', async (model) => {
  const embeddings = new OpenAIEmbeddings({ model, dimensions: 32, ...access() })
  const { answer } = await payFor(fleet, () => embeddings.embedDocuments(['red apple', 'green pear']))
  const query = await embeddings.embedQuery('red apple')
  expect(answer.map(({ length }) => length)).toEqual([32, 32])
  expect(query).toEqual(answer[0])
})

it('leaves no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})

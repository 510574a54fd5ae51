import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, embedMany, generateText, isStepCount, Output, streamText, tool } from 'ai'
import { z } from 'zod'
import { ledgerOf, payFor, priceUsd } from './charge.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { wires } from './wires.ts'

let fleet: SharedFleet
let gateway: ReturnType<typeof createOpenAICompatible>

beforeAll(async () => {
  fleet = await shareFleet()
  gateway = createOpenAICompatible({
    name: 'gateway',
    baseURL: `${fleet.url}/v1`,
    apiKey: fleet.workspace.apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
}, 300_000)

const prompt = 'How do glaciers carve valleys in Norway?'
const Verdict = z.object({ summary: z.string(), score: z.number() })

interface Counts {
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
}
const tokensOf = ({ inputTokens, outputTokens }: Counts) => ({
  prompt: inputTokens ?? 0,
  completion: outputTokens ?? 0,
})

/** Reads a stream and returns all of its errors. */
async function tryStream(id: string): Promise<unknown[]> {
  const errors: unknown[] = []
  const onError = ({ error }: { error: unknown }) => {
    errors.push(error)
  }
  const stream = streamText({ model: gateway(id), prompt, maxRetries: 0, onError })
  await stream.consumeStream({ onError: (error) => errors.push(error) })
  return errors
}

/** A tool that records its calls. */
function weatherTool() {
  const asked: unknown[] = []
  const weather = tool({
    description: 'Weather.',
    inputSchema: z.object({ city: z.string() }),
    execute: (input) => {
      asked.push(input)
      return { sky: `sunny in ${input.city}` }
    },
  })
  return { asked, weather }
}

describe.each(wires)('%s by the ai package', (wire) => {
  const id = `${wire}/quality-1`

  it('generates text, and charges what its usage costs', async () => {
    const { answer, paidUsd } = await payFor(fleet, () =>
      generateText({ model: gateway(id), system: 'Be brief.', prompt, maxRetries: 0 }),
    )
    expect(answer.text).toMatch(/glaciers|valleys|norway/)
    expect(answer.finishReason).toBe('stop')
    expect(answer.usage.raw).toMatchObject({ cost_usd: paidUsd })
    expect(answer.response.headers?.['x-svc-served-model']).toBe(id)
    expect(paidUsd).toBe(priceUsd(id, tokensOf(answer.usage)))
  })

  it('streams the same text at the same price', async () => {
    const plain = await generateText({ model: gateway(id), prompt })
    const { answer, paidUsd } = await payFor(fleet, async () => {
      const stream = streamText({ model: gateway(id), prompt })
      const pieces: string[] = []
      for await (const piece of stream.textStream) pieces.push(piece)
      return { pieces, usage: await stream.usage, reason: await stream.finishReason }
    })
    expect(answer.pieces.join('')).toBe(plain.text)
    expect(answer.pieces.length).toBeGreaterThan(3)
    expect(answer).toMatchObject({ reason: 'stop', usage: { raw: { cost_usd: paidUsd } } })
    expect(tokensOf(answer.usage)).toEqual(tokensOf(plain.usage))
    expect(paidUsd).toBe(priceUsd(id, tokensOf(plain.usage)))
  })

  it('runs a tool in steps, plain and streamed', async () => {
    const { asked, weather } = weatherTool()
    const request = { model: gateway(`${wire}/tools`), prompt, tools: { weather }, stopWhen: isStepCount(3) }
    const plain = await generateText(request)
    const streamed = streamText(request)
    await streamed.consumeStream()
    for (const { steps, text } of [plain, { steps: await streamed.steps, text: await streamed.text }]) {
      expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
      expect(steps[0]?.toolResults).toMatchObject([
        { toolName: 'weather', output: { sky: expect.stringMatching(/^sunny/) } },
      ])
      expect(text).toMatch(/\w/)
    }
    expect(asked).toEqual([{ city: expect.any(String) }, { city: expect.any(String) }])
  })

  it('returns an answer of a schema, plain and streamed', async () => {
    const request = { model: gateway(id), prompt, output: Output.object({ schema: Verdict }) }
    const { output } = await generateText(request)
    expect(Verdict.parse(output)).toEqual(output)
    expect(await streamText(request).output).toEqual(output)
  })

  it('reports reasoning tokens and cached tokens separately', async () => {
    const { usage } = await generateText({ model: gateway(`${wire}/cached-8`), prompt })
    expect(usage.inputTokenDetails.cacheReadTokens).toBe(8)
    const thought = await generateText({ model: gateway(`${wire}/reasoning-40`), prompt })
    expect(thought.usage.outputTokens).toBeGreaterThan(40)
  })

  it('has the finish reason length at the token limit', async () => {
    const { finishReason, usage } = await generateText({ model: gateway(id), prompt, maxOutputTokens: 5 })
    expect([finishReason, usage.outputTokens]).toEqual(['length', 5])
  })

  it('accepts an image in the request', async () => {
    const image = { type: 'file' as const, mediaType: 'image/png', data: Buffer.from('iVBORw0KGgo=', 'base64') }
    const content = [{ type: 'text' as const, text: 'What is this fjord?' }, image]
    const { text } = await generateText({ model: gateway(id), messages: [{ role: 'user', content }] })
    expect(text).toMatch(/fjord/)
  })

  it('reports a broken stream, without a charge', async () => {
    for (const name of ['errorframe', 'cut-900']) {
      const { answer, paidUsd } = await payFor(fleet, () => tryStream(`${wire}/${name}`))
      expect([name, answer.length > 0]).toEqual([name, true])
      expect(paidUsd).toBe(0)
    }
  })

  it('throws the error class of the SDK, without a charge', async () => {
    const { answer, paidUsd } = await payFor(fleet, () =>
      generateText({ model: gateway(`${wire}/fail-400`), prompt, maxRetries: 0 }).catch((error: unknown) => error),
    )
    expect(APICallError.isInstance(answer)).toBe(true)
    expect(answer).toMatchObject({ statusCode: 400, isRetryable: false })
    expect(paidUsd).toBe(0)
  })
})

it.each(['sim/embed', 'sim-google/embed'])('embeds many texts by %s', async (id) => {
  const values = ['red apple', 'green pear', 'red apple']
  const { answer, paidUsd } = await payFor(fleet, () => embedMany({ model: gateway.embeddingModel(id), values }))
  expect(answer.embeddings.map(({ length }) => length)).toEqual([256, 256, 256])
  expect(answer.embeddings[0]).toEqual(answer.embeddings[2])
  expect(answer.embeddings[0]).not.toEqual(answer.embeddings[1])
  expect(paidUsd).toBe(priceUsd(id, { prompt: answer.usage.tokens }))
})

it('leaves no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})

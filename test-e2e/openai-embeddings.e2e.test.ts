import { BadRequestError, type OpenAI } from 'openai'
import { ledgerOf, payFor, priceUsd } from './charge.ts'
import { openaiFor } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'

let fleet: SharedFleet
let openai: OpenAI

beforeAll(async () => {
  fleet = await shareFleet()
  openai = openaiFor(fleet)
}, 300_000)

const input = ['red apple', 'green pear']
const costOf = ({ usage }: OpenAI.CreateEmbeddingResponse) => (usage as typeof usage & { cost_usd: number }).cost_usd
const numbersOf = ({ data }: OpenAI.CreateEmbeddingResponse) => data.map(({ embedding }) => Array.from(embedding))

describe.each(['sim/embed', 'sim-google/embed'])('embeddings of %s by the openai package', (model) => {
  it('are the same numbers as base64, which the SDK requests by default, and as floats, and are charged', async () => {
    const { answer, paidUsd } = await payFor(fleet, () => openai.embeddings.create({ model, input }).withResponse())
    const { data: decoded, response } = answer
    const floats = await openai.embeddings.create({ model, input, encoding_format: 'float' })
    expect(decoded).toMatchObject({ object: 'list', data: [{ index: 0 }, { index: 1 }] })
    expect(numbersOf(decoded).map(({ length }) => length)).toEqual([256, 256])
    for (const [index, vector] of numbersOf(floats).entries()) {
      const near = vector.map((value) => expect.closeTo(value, 6))
      expect(numbersOf(decoded)[index]).toEqual(near)
    }
    expect(paidUsd).toBe(priceUsd(model, { prompt: decoded.usage.prompt_tokens }))
    expect([costOf(decoded), Number(response.headers.get('x-svc-cost-usd'))]).toEqual([paidUsd, paidUsd])
    expect(response.headers.get('x-svc-served-model')).toBe(model)
  })

  it('have the requested length', async () => {
    const { data } = await openai.embeddings.create({ model, input: 'one text', dimensions: 16 })
    expect(data.map(({ embedding }) => embedding.length)).toEqual([16])
  })

  it('are base64 text if requested explicitly', async () => {
    const { data } = await openai.embeddings.create({ model, input, dimensions: 4, encoding_format: 'base64' })
    const bytes = data.map(({ embedding }) => Buffer.from(embedding as unknown as string, 'base64').length)
    expect(bytes).toEqual([16, 16])
  })
})

it('accepts one or several lists of tokens', async () => {
  const one = await openai.embeddings.create({ model: 'sim/embed', input: [1, 2, 3] })
  const { data, usage } = await openai.embeddings.create({ model: 'sim/embed', input: [[1, 2, 3], [4]] })
  expect([data.length, usage.prompt_tokens]).toEqual([2, 4])
  expect(data[0]?.embedding).toEqual(one.data[0]?.embedding)
})

it.each([
  [
    'tokens for a provider that accepts only text',
    { model: 'sim-google/embed', input: [1, 2] },
    'unsupported_parameter',
    'input',
  ],
  ['an empty text', { model: 'sim/embed', input: '' }, 'invalid_request', 'input'],
  ['a length of 0', { model: 'sim/embed', input, dimensions: 0 }, 'invalid_request', 'dimensions'],
  ['a chat model', { model: 'sim/large', input }, 'invalid_request', 'model'],
])('refuses %s, and charges nothing', async (_name, asked, code, param) => {
  const { answer, paidUsd } = await payFor(fleet, () =>
    openai.embeddings.create(asked).catch((error: unknown) => error),
  )
  expect(answer).toBeInstanceOf(BadRequestError)
  expect(answer).toMatchObject({ code, param: expect.stringContaining(param) })
  expect(paidUsd).toBe(0)
})

it('leaves no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})

import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { modelOf } from '../catalog/catalog.fixture.ts'
import { answerLimits, type RequestedAnswer } from './answer-limits.ts'

const model = modelOf({ max_output_tokens: 128_000 })
const requested: RequestedAnswer = { model, dialect: 'chat', maxTokens: 100, n: 1, items: 1, requestBytes: 1_000 }

it('follows from the tokens that were requested', () => {
  const few = answerLimits(requested)
  expect(few.maxStreamBytes).toBe(mebibyte + 100 * 4_096)
  expect(few.maxReplyBytes).toBe(few.maxStreamBytes)
  expect(few.maxFrames).toBeLessThan(6_000)
  expect(few.maxCharacters).toBeLessThan(80_000)
  const more = answerLimits({ ...requested, n: 3 })
  expect(more.maxStreamBytes - few.maxStreamBytes).toBe(200 * 4_096)
})

it("is the model's own limit when the request has none or a higher one", () => {
  const small = modelOf({ max_output_tokens: 100 })
  const own = answerLimits({ ...requested, model: small, maxTokens: null })
  expect(own).toEqual(answerLimits(requested))
  expect(answerLimits({ ...requested, model: small, maxTokens: 1_000_000 })).toEqual(own)
})

it('has room for reasoning that a provider does not count', () => {
  const thinking = modelOf({ max_output_tokens: 128_000, capabilities: ['chat', 'streaming', 'reasoning'] })
  const limits = answerLimits({ ...requested, model: thinking })
  expect(limits.maxStreamBytes - answerLimits(requested).maxStreamBytes).toBe(16 * mebibyte)
})

it('has fixed upper bounds', () => {
  const all = answerLimits({ ...requested, dialect: 'responses', maxTokens: null, n: 128, requestBytes: 10_000_000 })
  expect(all).toMatchObject({
    maxStreamBytes: 128 * mebibyte,
    maxReplyBytes: 32 * mebibyte,
    maxFrameBytes: 16 * mebibyte,
    maxCharacters: 4 * mebibyte,
  })
})

it('has room for what a response repeats of its request', () => {
  const requestBytes = 500_000
  const { maxStreamBytes, maxFrameBytes } = answerLimits({ ...requested, dialect: 'responses', requestBytes })
  expect(maxStreamBytes).toBeGreaterThan(3 * requestBytes)
  expect(maxFrameBytes).toBeGreaterThan(requestBytes)
})

it('has room for a vector of each text', () => {
  const embedding = modelOf({ kind: 'embedding', max_output_tokens: 0 })
  const limits = (items: number) => answerLimits({ ...requested, model: embedding, dialect: 'embeddings', items })
  expect(limits(10).maxReplyBytes - limits(1).maxReplyBytes).toBeGreaterThan(9 * 8_192 * 22)
})

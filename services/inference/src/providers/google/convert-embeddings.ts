import { asObject } from '@ratchet/service-kit/values/json'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { Body } from '../../wire/dialect.ts'
import { readEmbeddingsReply } from '../../wire/embeddings/read-embeddings-reply.ts'
import { writeEmbeddings } from '../../wire/embeddings/write-embeddings.ts'
import { readCount } from '../../wire/json/read-count.ts'
import type { ProviderReply } from '../../wire/provider.ts'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { noUsage } from '../../wire/usage.ts'
import { checkMembers, memberRules } from '../check-members.ts'
import { textAt } from './convert-parts.ts'

const rules = memberRules({
  model: 'honoured',
  input: 'honoured',
  dimensions: 'honoured',
  encoding_format: 'honoured', // by the surface, because Google returns only numbers
  models: 'harmless',
  user: 'harmless',
})

/** Maximum number of texts in one batch of Google. */
const maxTexts = 100

/**
 * Converts an embeddings request to one of `batchEmbedContents`.
 *
 * @param model the model's name at Google
 * @throws Refusal naming what Google does not support
 */
export function convertEmbeddingsRequest(body: Body, model: string): Buffer {
  checkMembers(body, '', rules)
  const requests = textsOf(body.input).map((text) => ({
    model: `models/${model}`,
    content: { parts: [{ text }] },
    outputDimensionality: body.dimensions ?? undefined,
  }))
  return Buffer.from(JSON.stringify({ requests }))
}

function textsOf(input: unknown): readonly string[] {
  if (typeof input === 'string') return [input]
  if (!Array.isArray(input) || input.length === 0) throw invalid('input', 'must be a string or a non-empty array')
  const [first] = input
  if (typeof first === 'number' || Array.isArray(first)) throw unsupported('input', 'Google takes text, not tokens')
  if (input.length > maxTexts) throw invalid('input', `must not hold more than ${maxTexts} texts for this model`)
  return input.map((text, index) => textAt(text, `input.${index}`))
}

/** The part of the request that reading its answer needs. */
export interface EmbeddingsRequest {
  readonly body: Body
  /** The model's name at Google. */
  readonly model: string
}

/**
 * Converts an answer of `batchEmbedContents` to a list of embeddings; null when it does not have one vector for each
 * text.
 */
export function convertEmbeddingsReply(bytes: Buffer, { body, model }: EmbeddingsRequest): ProviderReply | null {
  const read = readObject(bytes)?.body
  const vectors = Array.isArray(read?.embeddings) ? read.embeddings.map((each) => asObject(each)?.values) : []
  const requested = Array.isArray(body.input) ? body.input.length : 1
  if (vectors.length !== requested || !vectors.every(isVector)) return null
  // Only newer models report their usage.
  const promptTokens = readCount(asObject(read?.usageMetadata)?.promptTokenCount)
  const usage = promptTokens === null ? null : { ...noUsage, promptTokens }
  return readEmbeddingsReply(writeEmbeddings({ model, vectors, usage }))
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => Number.isFinite(number))
}

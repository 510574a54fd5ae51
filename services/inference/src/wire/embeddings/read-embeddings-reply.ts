import { asObject } from '@ratchet/service-kit/values/json'
import { readObject } from '../chat/read-reply.ts'
import { readCount } from '../json/read-count.ts'
import type { ProviderReply } from '../provider.ts'
import { noUsage, type Usage } from '../usage.ts'

/** Reads an answer of a provider; null when it is not a list of embeddings. Vectors may be numbers or base64. */
export function readEmbeddingsReply(bytes: Buffer): ProviderReply | null {
  const read = readObject(bytes)
  if (read === null || !Array.isArray(read.body.data) || !read.body.data.every(isEmbedding)) return null
  return { bytes, scan: read.scan, usage: readPromptUsage(read.body.usage), pieces: [] }
}

/**
 * Reads the usage of a request that generates nothing. Some providers report only one of the two counts. There is only a prompt, so either count is that of the
 * prompt. Usage with any impossible count is not believed.
 */
export function readPromptUsage(value: unknown): Usage | null {
  const usage = asObject(value)
  const counts = [usage?.prompt_tokens, usage?.total_tokens, usage?.completion_tokens]
  if (counts.some((count) => count !== undefined && count !== null && readCount(count) === null)) return null
  const promptTokens = readCount(usage?.prompt_tokens) ?? readCount(usage?.total_tokens)
  return promptTokens === null ? null : { ...noUsage, promptTokens }
}

function isEmbedding(item: unknown): boolean {
  const vector = asObject(item)?.embedding
  return typeof vector === 'string' || (Array.isArray(vector) && vector.every((value) => typeof value === 'number'))
}

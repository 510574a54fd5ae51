import { asObject } from '@ratchet/service-kit/values/json'
import { readObject } from '../chat/read-reply.ts'
import { readPromptUsage } from '../embeddings/read-embeddings-reply.ts'
import type { ProviderReply, ProviderRequest } from '../provider.ts'
import { noUsage } from '../usage.ts'

/** Reads an answer of a provider; null when it is not a list of results. A free model reports no usage, and needs none. */
export function readModerationsReply(bytes: Buffer, { model }: ProviderRequest): ProviderReply | null {
  const read = readObject(bytes)
  if (read === null || !Array.isArray(read.body.results) || !read.body.results.every(isResult)) return null
  const usage = readPromptUsage(read.body.usage) ?? (model.rates.input === 0n ? noUsage : null)
  return { bytes, scan: read.scan, usage, pieces: [] }
}

function isResult(item: unknown): boolean {
  return asObject(asObject(item)?.categories) !== null
}

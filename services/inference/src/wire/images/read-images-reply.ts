import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../chat/read-reply.ts'
import { readCount } from '../json/read-count.ts'
import type { ProviderReply, ProviderRequest } from '../provider.ts'
import { noUsage, type Usage } from '../usage.ts'

/** Reads an answer of a provider; null when it is not a list of images. */
export function readImagesReply(bytes: Buffer, { model }: ProviderRequest): ProviderReply | null {
  const read = readObject(bytes)
  if (read === null || !Array.isArray(read.body.data) || !read.body.data.every(isImage)) return null
  const { data, usage } = read.body
  const tokens = readTokens(usage)
  const isPricedByToken = model.rates.input > 0n || model.rates.output > 0n
  if (tokens === null && isPricedByToken) return { bytes, scan: read.scan, usage: null, pieces: [] }
  const units = model.perUnitNano > 0n ? { units: data.length } : {}
  return { bytes, scan: read.scan, usage: { ...(tokens ?? noUsage), ...units }, pieces: [] }
}

function readTokens(value: unknown): Usage | null {
  const usage: Fields | null = asObject(value)
  const promptTokens = readCount(usage?.input_tokens)
  const completionTokens = readCount(usage?.output_tokens)
  return promptTokens === null || completionTokens === null ? null : { ...noUsage, promptTokens, completionTokens }
}

function isImage(item: unknown): boolean {
  const image = asObject(item)
  return typeof image?.b64_json === 'string' || typeof image?.url === 'string'
}

import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../chat/read-reply.ts'
import { readCount } from '../json/read-count.ts'
import type { ProviderReply } from '../provider.ts'
import { noUsage, type Usage, withTier } from '../usage.ts'

/** Reads a complete answer of a provider; null when it is not a message. */
export function readMessagesReply(bytes: Buffer): ProviderReply | null {
  const read = readObject(bytes)
  if (read === null || !Array.isArray(read.body.content)) return null
  const pieces = read.body.content.flatMap((block) => piecesOfBlock(asObject(block) ?? {}))
  return { bytes, scan: read.scan, usage: readMessagesUsage(read.body.usage), pieces }
}

/**
 * Reads usage in the fields of Anthropic, where `input_tokens` excludes the tokens that were read from or written to a
 * cache. Null means that the provider reported none: the tokens of the prompt or of the answer are missing, or not a
 * whole number from 0 to 1,000,000,000. Invalid values of the other counts are 0.
 */
export function readMessagesUsage(value: unknown): Usage | null {
  const usage = asObject(value)
  const input = readCount(usage?.input_tokens)
  const completionTokens = readCount(usage?.output_tokens)
  if (usage === null || input === null || completionTokens === null) return null
  const cachedPromptTokens = readCount(usage.cache_read_input_tokens) ?? 0
  const cacheWriteTokens = readCount(usage.cache_creation_input_tokens) ?? 0
  const long = readCount(asObject(usage.cache_creation)?.ephemeral_1h_input_tokens) ?? 0
  const webSearches = readCount(asObject(usage.server_tool_use)?.web_search_requests) ?? 0
  const thinking = readCount(asObject(usage.output_tokens_details)?.thinking_tokens) ?? 0
  const counts = {
    ...noUsage,
    promptTokens: input + cachedPromptTokens + cacheWriteTokens,
    cachedPromptTokens,
    cacheWriteTokens,
    ...(long === 0 ? {} : { cacheWriteLongTokens: Math.min(long, cacheWriteTokens) }),
    completionTokens,
    reasoningTokens: Math.min(thinking, completionTokens),
    ...(webSearches === 0 ? {} : { webSearches }),
  }
  return withTier(counts, usage.speed)
}

/**
 * The usage of a stream after a `message_delta`. Its counts are those of the whole message; counts that it omits
 * remain.
 */
export function laterMessagesUsage(start: unknown, delta: unknown): Fields {
  const said = Object.entries(asObject(delta) ?? {}).filter(([, count]) => count !== null && count !== undefined)
  const before = asObject(start) ?? {}
  // Otherwise a provider that names other members in each event could fill the memory.
  if (said.length > maxUsageMembers || Object.keys(before).length > maxUsageMembers) return before
  return { ...before, ...Object.fromEntries(said) }
}

/** More than any provider has. */
const maxUsageMembers = 64

/**
 * The texts that the model generated in a content block or in a delta of one, without empty ones: text, thinking, tool
 * names and inputs. Signatures, ids and encrypted thinking are not generated text.
 */
export function piecesOfBlock({ text, thinking, name, input, partial_json }: Fields): string[] {
  const members = asObject(input) ?? {}
  const written = Object.keys(members).length === 0 ? null : JSON.stringify(members)
  const texts = [text, thinking, name, written, partial_json]
  return texts.filter((piece) => typeof piece === 'string' && piece !== '') as string[]
}

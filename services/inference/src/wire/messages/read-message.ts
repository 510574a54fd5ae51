import { asObject, type Fields } from '../chat/chat-chunk.ts'
import { readObject } from '../chat/read-reply.ts'
import { readCount } from '../json/read-count.ts'
import type { ProviderReply } from '../provider.ts'
import { noUsage, type Usage } from '../usage.ts'

/** Reads a provider's whole answer, or null when it is not a message at all. */
export function readMessagesReply(bytes: Buffer): ProviderReply | null {
  const read = readObject(bytes)
  if (read === null || !Array.isArray(read.body.content)) return null
  const pieces = read.body.content.flatMap((block) => piecesOfBlock(asObject(block) ?? {}))
  return { bytes, scan: read.scan, usage: readMessagesUsage(read.body.usage), pieces }
}

/**
 * Reads usage in Anthropic's spelling, whose `input_tokens` are those of the prompt that no cache had or got. Null
 * means that the provider did not say: tokens of the prompt or of the answer are missing, or not a whole number from 0
 * to a thousand million. Nonsense in the other counts is 0.
 */
export function readMessagesUsage(value: unknown): Usage | null {
  const usage = asObject(value)
  const input = readCount(usage?.input_tokens)
  const completionTokens = readCount(usage?.output_tokens)
  if (usage === null || input === null || completionTokens === null) return null
  const cachedPromptTokens = readCount(usage.cache_read_input_tokens) ?? 0
  const cacheWriteTokens = readCount(usage.cache_creation_input_tokens) ?? 0
  const thinking = readCount(asObject(usage.output_tokens_details)?.thinking_tokens) ?? 0
  return {
    ...noUsage,
    promptTokens: input + cachedPromptTokens + cacheWriteTokens,
    cachedPromptTokens,
    cacheWriteTokens,
    completionTokens,
    reasoningTokens: Math.min(thinking, completionTokens),
  }
}

/** A stream's usage once a `message_delta` has come: its counts are of the whole message, those it leaves out stand. */
export function laterMessagesUsage(start: unknown, delta: unknown): Fields {
  const said = Object.entries(asObject(delta) ?? {}).filter(([, count]) => count !== null && count !== undefined)
  return { ...asObject(start), ...Object.fromEntries(said) }
}

/**
 * The pieces of text that the model wrote in a content block, whole or just begun, or in a delta of one, none of them
 * empty: text, thinking, tool names and inputs. Signatures, ids and encrypted thinking are not the model's words.
 */
export function piecesOfBlock({ text, thinking, name, input, partial_json }: Fields): string[] {
  const members = asObject(input) ?? {}
  const written = Object.keys(members).length === 0 ? null : JSON.stringify(members)
  const texts = [text, thinking, name, written, partial_json]
  return texts.filter((piece) => typeof piece === 'string' && piece !== '') as string[]
}

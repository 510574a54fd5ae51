import { soundUsage, type TokenUsage } from './price.ts'
import type { Usage } from './usage.ts'

/** Bytes (or characters) of ordinary text per token, the usual rule of thumb for English. */
const perToken = 4
/** Tokens of an ordinary image or clip, whose bytes say nothing about them. */
const perMediaPart = 1_000

export interface Seen {
  /** Bytes of the request's body. */
  readonly bodyBytes: number
  readonly messages: readonly unknown[]
  /** Pieces of text the provider streamed; each is at least one token. 0 when not streamed. */
  readonly deltas: number
  /** Characters the model wrote. */
  readonly characters: number
}

/**
 * Usage for an answer whose provider did not say, from what was seen of it. Nothing generated is
 * nothing used: the prompt counts only once the model began to answer.
 */
export function estimateUsage({ bodyBytes, messages, deltas, characters }: Seen): Usage {
  const completionTokens = Math.max(deltas, Math.ceil(characters / perToken))
  const promptTokens = completionTokens === 0 ? 0 : estimatePrompt(bodyBytes, messages)
  return { promptTokens, cachedPromptTokens: 0, completionTokens, reasoningTokens: 0 }
}

/** What to charge for: the provider's own count where it can be true, else an estimate of what was seen. */
export function chargeableUsage(reported: Usage | null, seen: Seen): TokenUsage {
  return (reported === null ? null : soundUsage(reported)) ?? estimateUsage(seen)
}

/** The text by its bytes, everything else by the piece. */
function estimatePrompt(bodyBytes: number, messages: readonly unknown[]): number {
  const embedded = messages.flatMap((message) => partsOf(message).flatMap(embeddedLength))
  const embeddedBytes = embedded.reduce((sum, length) => sum + length, 0)
  return Math.ceil(Math.max(0, bodyBytes - embeddedBytes) / perToken) + embedded.length * perMediaPart
}

function partsOf(message: unknown): readonly unknown[] {
  const content = (message as { content?: unknown } | null)?.content
  return Array.isArray(content) ? content : []
}

/** The length of a part's image, sound or file inside the body; nothing for text. */
function embeddedLength(part: unknown): number[] {
  const { image_url: image, input_audio: audio, file } = (part ?? {}) as Record<string, unknown>
  const embedded = [memberOf(image, 'url'), memberOf(audio, 'data'), memberOf(file, 'file_data')]
  return embedded.flatMap((text) => (typeof text === 'string' ? [text.length] : []))
}

function memberOf(container: unknown, key: string): unknown {
  if (typeof container === 'string') return container
  return (container as Record<string, unknown> | null | undefined)?.[key]
}

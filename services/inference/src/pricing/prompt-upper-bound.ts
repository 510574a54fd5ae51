import type { PromptShape } from './prompt-shape.ts'

export interface PromptSize {
  /** Bytes of the JSON body as it was sent. */
  readonly bodyBytes: number
  readonly shape: PromptShape
  /** Maximum tokens of one image with the model. */
  readonly imageTokensMax: number
}

/** More than any context window; the caller limits it to the window. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER

/**
 * Generous bounds for the tokens that chat templates and providers add around a prompt, each of its items and each
 * tool.
 */
const TOKENS_PER_REQUEST = 256
const TOKENS_PER_ITEM = 16
const TOKENS_WITH_TOOLS = 1_024
const TOKENS_PER_TOOL = 64

/**
 * An upper bound of the prompt's tokens that does not read its text. No tokenizer makes more than one token of a byte,
 * and JSON is at least as long as the UTF-8 text that it represents, so the bytes of the whole body bound the tokens of
 * all text in it. Each image or file counts as a fixed number of tokens, whatever its length. Content that is only
 * referred to is bounded only by the context window.
 */
export function promptTokensUpperBound({ bodyBytes, shape, imageTokensMax }: PromptSize): number {
  if (shape.unbounded) return UNBOUNDED
  return bodyBytes - shape.mediaLength + (shape.repeatedBytes ?? 0) + allowances(shape, imageTokensMax)
}

/** Tokens in addition to those of the text: frames around items and tools, and media. */
export function allowances({ items, tools, mediaParts }: PromptShape, imageTokensMax: number): number {
  const toolTokens = tools === 0 ? 0 : TOKENS_WITH_TOOLS + tools * TOKENS_PER_TOOL
  return TOKENS_PER_REQUEST + items * TOKENS_PER_ITEM + toolTokens + mediaParts * imageTokensMax
}

import type { PromptShape } from './prompt-shape.ts'

export interface PromptSize {
  /** Bytes of the JSON body as it came. */
  readonly bodyBytes: number
  readonly shape: PromptShape
  /** The most tokens one image counts as with the model. */
  readonly imageTokensMax: number
}

/** More than any context window: the caller's arithmetic stops at the window. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER

/** What chat templates and providers add around a prompt, around each of its items and each tool. Generous. */
const TOKENS_PER_REQUEST = 256
const TOKENS_PER_ITEM = 16
const TOKENS_WITH_TOOLS = 1_024
const TOKENS_PER_TOOL = 64

/**
 * More tokens than the prompt can have, without looking at its text. No tokenizer makes more than one token of a
 * byte, and JSON is at least as long as the UTF-8 text it spells, so the bytes of the whole body bound the tokens of
 * all text in it. Media counts a fixed number for each piece instead of its length. Content that is only referred to
 * has no bound but the context window.
 */
export function promptTokensUpperBound({ bodyBytes, shape, imageTokensMax }: PromptSize): number {
  if (shape.unbounded) return UNBOUNDED
  return bodyBytes - shape.mediaLength + (shape.repeatedBytes ?? 0) + allowances(shape, imageTokensMax)
}

/** Tokens beyond those of the text: frames around items and tools, and media. */
export function allowances({ items, tools, mediaParts }: PromptShape, imageTokensMax: number): number {
  const toolTokens = tools === 0 ? 0 : TOKENS_WITH_TOOLS + tools * TOKENS_PER_TOOL
  return TOKENS_PER_REQUEST + items * TOKENS_PER_ITEM + toolTokens + mediaParts * imageTokensMax
}

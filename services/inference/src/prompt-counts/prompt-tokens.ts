import { kibibyte } from '@ratchet/contracts/byte-sizes'
import type { CatalogModel } from '../catalog/catalog.ts'
import { estimatePrompt, perMediaPart } from '../pricing/estimate-usage.ts'
import type { PromptShape } from '../pricing/prompt-shape.ts'
import type { CountTokens } from '../request/price-answer.ts'
import { collectTexts } from '../tokenizer/collect-texts.ts'
import type { Body } from '../wire/dialect.ts'

/** Tokens that frame a message or another item of a prompt. */
const perItem = 4

/** Longer prompts are estimated, so that free counts never take the tokenizer away from charges. */
const maxCountedBytes = 256 * kibibyte

interface Prompt {
  readonly model: CatalogModel
  readonly body: Body
  /** Bytes of the body. */
  readonly bytes: number
  readonly shape: PromptShape
}

/** The tokens of a prompt, at least 1. It is estimated from its bytes when it is long, or cannot be counted soon. */
export async function promptTokens(countTokens: CountTokens, { model, body, bytes, shape }: Prompt): Promise<number> {
  const counted = bytes > maxCountedBytes ? null : await countTokens(model, collectTexts(body))
  if (counted === null) return Math.max(1, estimatePrompt(bytes, shape))
  const { items, mediaParts, soundParts = 0 } = shape
  return Math.max(1, counted + items * perItem + (mediaParts + soundParts) * perMediaPart)
}

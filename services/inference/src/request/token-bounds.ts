import { countedPromptBound } from '../pricing/counted-prompt-bound.ts'
import type { PromptShape } from '../pricing/prompt-shape.ts'
import { collectTexts, countTokenIds } from '../tokenizer/collect-texts.ts'
import { modelEncoding } from '../tokenizer/model-encoding.ts'
import type { Candidates } from './plan-candidates.ts'
import type { CountTokens } from './price-answer.ts'

/**
 * For each candidate, more tokens than its prompt can have, counted by a tokenizer; null when they could not be
 * counted in time.
 */
export async function tokenBounds(
  countTokens: CountTokens,
  candidates: Candidates,
  shape: PromptShape,
): Promise<readonly number[] | null> {
  const { body } = candidates[0].request
  const texts = collectTexts(body)
  const given = countTokenIds(body)
  const bounds = await Promise.all(
    candidates.map(async ({ request: { model } }) => {
      const tokens = await countTokens(model, texts)
      const { exact } = modelEncoding(model)
      const { imageTokensMax } = model
      return tokens === null ? null : countedPromptBound({ tokens: tokens + given, shape, imageTokensMax, exact })
    }),
  )
  const counted = bounds.filter((bound) => bound !== null)
  return counted.length === bounds.length ? counted : null
}

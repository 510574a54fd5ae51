import type { TokenCounts } from '../token-counts.ts'
import type { AnswerPart } from './answer-parts.ts'

/** The content of an answer of `generateContent` and `streamGenerateContent`. */
export interface Generated {
  parts: readonly AnswerPart[]
  finishReason: 'STOP' | 'MAX_TOKENS'
  /** Null when the model reports no usage. */
  reported: TokenCounts | null
  /** True when only the first chunk of a stream reports usage. */
  reportsOnce: boolean
  head: { modelVersion: string; responseId: string }
}

export interface CostBasis {
  readonly rows: number
  /** Size of all graded exchanges, bytes. */
  readonly contentBytes: number
  readonly judgePrompt: string
  /** US dollars per million tokens. */
  readonly model: { readonly inputPerMtok: number; readonly outputPerMtok: number }
}

const bytesPerToken = 4
/** Size of the fixed instructions, bytes. */
const frameBytes = 2_200
/** A verdict with its explanation, tokens. */
const verdictTokens = 200

/** Estimated cost of judging rows, USD, at list prices. */
export function estimateCostUsd({ rows, contentBytes, judgePrompt, model }: CostBasis): number {
  const promptBytes = contentBytes + rows * (Buffer.byteLength(judgePrompt) + frameBytes)
  const inputTokens = Math.ceil(promptBytes / bytesPerToken)
  // Micro-dollars: a price per million tokens is micro-dollars per token.
  const micro = inputTokens * model.inputPerMtok + rows * verdictTokens * model.outputPerMtok
  return Math.ceil(micro) / 1_000_000
}

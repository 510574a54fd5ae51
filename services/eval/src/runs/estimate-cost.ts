import type { PromptTokens } from '../prompts/prompt-source.ts'

/** US dollars per million tokens. */
interface Prices {
  readonly inputPerMtok: number
  readonly outputPerMtok: number
}

export interface CostBasis {
  /** Of each prompt that is drawn. */
  readonly tokens: readonly PromptTokens[]
  readonly repetitions: number
  /** Tokens of an answer at most; undefined for as many as it takes. */
  readonly maxTokens: number | undefined
  /** Null for stored answers, which cost nothing. */
  readonly baseline: Prices | null
  readonly candidates: readonly Prices[]
  readonly judge: Prices
  /** Of the rubric, bytes. */
  readonly rubricBytes: number
  /** Whether the judge is shown a stored answer too. */
  readonly showsReference: boolean
}

export interface EstimatedCost {
  /** USD, rounded up to micro-dollars. */
  readonly answersUsd: number
  readonly judgeUsd: number
}

const bytesPerToken = 4
/** Instructions and delimiters around what a judge is shown, tokens. */
const frameTokens = 700
/** A preference with its reason, tokens. */
const preferenceTokens = 200

/**
 * About what an eval costs at list prices: answers as long as those of the log, and two looks of the judge at each pair.
 */
export function estimateCost(basis: CostBasis): EstimatedCost {
  const { tokens, repetitions, maxTokens, baseline, candidates, judge, rubricBytes, showsReference } = basis
  const asked = tokens.map(({ prompt, completion }) => ({
    prompt,
    completion: maxTokens === undefined ? completion : Math.min(completion, maxTokens),
  }))
  const input = sum(asked.map(({ prompt }) => prompt))
  const output = sum(asked.map(({ completion }) => completion))
  const models = baseline === null ? candidates : [baseline, ...candidates]
  // Micro-dollars: a price per million tokens is micro-dollars per token.
  const answersMicro = sum(
    models.map(({ inputPerMtok, outputPerMtok }) => input * inputPerMtok + output * outputPerMtok),
  )
  const shownAnswers = showsReference ? 3 : 2
  const frames = asked.length * (frameTokens + rubricBytes / bytesPerToken)
  const lookMicro =
    (input + shownAnswers * output + frames) * judge.inputPerMtok +
    asked.length * preferenceTokens * judge.outputPerMtok
  return {
    answersUsd: Math.ceil(repetitions * answersMicro) / 1_000_000,
    judgeUsd: Math.ceil(repetitions * 2 * candidates.length * lookMicro) / 1_000_000,
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

import type { PromptTokens } from '../prompts/prompt-source.ts'

/** US dollars per million tokens. */
interface Prices {
  readonly inputPerMtok: number
  readonly outputPerMtok: number
}

/** Prices of a model, with the length of its longest answer. */
interface PricedModel extends Prices {
  readonly maxOutputTokens: number
}

export interface CostBasis {
  /** Token counts, one entry for each prompt that is drawn. */
  readonly tokens: readonly PromptTokens[]
  readonly repetitions: number
  /** Maximum tokens of an answer; undefined for no maximum. */
  readonly maxTokens: number | undefined
  /** Null when the baseline is stored answers, which cost nothing. */
  readonly baseline: PricedModel | null
  readonly candidates: readonly PricedModel[]
  readonly judge: Prices
  readonly rubricBytes: number
  /** Whether the judge is also shown a reference answer. */
  readonly showsReference: boolean
}

export interface EstimatedCost {
  /** Cost of the answers, USD, rounded up to micro-dollars. */
  readonly answersUsd: number
  readonly judgeUsd: number
  /** The most that one call can cost, USD. A call starts only when this much is left of the highest cost. */
  readonly longestCallUsd: number
}

const bytesPerToken = 4
/** Tokens of the judge's instructions and of the delimiters. */
const frameTokens = 700
/** Tokens of a verdict with its explanation. */
const preferenceTokens = 200

/** Estimates the cost of an eval at list prices, with answers as long as the logged ones and two verdicts on each pair. */
export function estimateCost(basis: CostBasis): EstimatedCost {
  const { tokens, repetitions, maxTokens, baseline, candidates, judge, rubricBytes, showsReference } = basis
  const calls = tokens.map(({ prompt, completion }) => ({
    prompt,
    completion: maxTokens === undefined ? completion : Math.min(completion, maxTokens),
  }))
  const input = sum(calls.map(({ prompt }) => prompt))
  const output = sum(calls.map(({ completion }) => completion))
  const models = baseline === null ? candidates : [baseline, ...candidates]
  // Micro-dollars: a price per million tokens is micro-dollars per token.
  const answersMicro = sum(
    models.map(({ inputPerMtok, outputPerMtok }) => input * inputPerMtok + output * outputPerMtok),
  )
  const shownAnswers = showsReference ? 3 : 2
  const frames = calls.length * (frameTokens + rubricBytes / bytesPerToken)
  const verdictMicro =
    (input + shownAnswers * output + frames) * judge.inputPerMtok +
    calls.length * preferenceTokens * judge.outputPerMtok
  return {
    answersUsd: Math.ceil(repetitions * answersMicro) / 1_000_000,
    judgeUsd: Math.ceil(repetitions * 2 * candidates.length * verdictMicro) / 1_000_000,
    longestCallUsd: Math.ceil(longestCallMicro(models, basis)) / 1_000_000,
  }
}

/** Before a call its tokens are not known: at most one per byte of the prompt, and as many as the answer may have. */
function longestCallMicro(models: readonly PricedModel[], { tokens, maxTokens = Number.POSITIVE_INFINITY }: CostBasis) {
  const prompt = bytesPerToken * Math.max(0, ...tokens.map((each) => each.prompt))
  const costs = models.map(
    (model) => prompt * model.inputPerMtok + Math.min(maxTokens, model.maxOutputTokens) * model.outputPerMtok,
  )
  return Math.max(0, ...costs)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

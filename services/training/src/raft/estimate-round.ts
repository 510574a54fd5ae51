import { usdToNano } from '@ratchet/contracts/money'
import type { CatalogModel } from '@ratchet/judge-kit/fleet/model-catalog'
import { estimateTokens } from '../data/estimate-tokens.ts'
import { hyperparametersOf } from '../jobs/resolve-settings.ts'
import { jobCostNano } from '../money/job-cost.ts'
import type { CheckedRound } from './prepare-round.ts'
import { heldOutSamples, type RoundPrompt } from './round.ts'

/** What a round is expected to cost, nano-dollars. */
export interface RoundEstimate {
  /** Answers that are chosen from, and those to held out prompts before and after. */
  readonly answers: number
  readonly measuredAnswers: number
  readonly samplingNano: bigint
  readonly judgingNano: bigint
  /** When something is kept of every prompt. */
  readonly trainingTokens: number
  readonly trainingNano: bigint
  readonly totalNano: bigint
}

/** Tokens of an answer of unknown length, at most, and US dollars of a verdict whose price is not known. */
const assumedAnswerTokens = 256
const assumedVerdictUsd = 0.001

/** @param model the one that answers; null: its price is not known and counts as 0 */
export function estimateRound(
  { request, job, judges, train, heldOut }: Pick<CheckedRound, 'request' | 'job' | 'judges' | 'train' | 'heldOut'>,
  model: Pick<CatalogModel, 'inputPerMtok' | 'outputPerMtok'> | null,
): RoundEstimate {
  const { samplesPerPrompt, maxOutputTokens, realDataPct } = request
  const answerTokens = Math.min(maxOutputTokens, assumedAnswerTokens)
  const answers = train.length * samplesPerPrompt
  const measuredAnswers = heldOut.length * heldOutSamples * 2
  const asked = tokensOf(train) * samplesPerPrompt + tokensOf(heldOut) * heldOutSamples * 2
  const all = answers + measuredAnswers
  const { inputPerMtok = 0, outputPerMtok = 0 } = model ?? {}
  const samplingNano = nanoOf((asked * inputPerMtok + all * answerTokens * outputPerMtok) / 1_000_000)
  // The second judge is asked at most about all of them.
  const verdictUsd = judges.reduce((sum, { verdictUsd: usd }) => sum + (usd ?? assumedVerdictUsd), 0)
  const judgingNano = nanoOf(all * verdictUsd)
  const examples = Math.ceil((train.length * keptOf(request) * 100) / (100 - realDataPct))
  const { n_epochs: epochs } = hyperparametersOf(job.request, job.model, examples)
  const exampleTokens = train.length === 0 ? 0 : tokensOf(train) / train.length + answerTokens
  const trainingTokens = Math.ceil(examples * exampleTokens) * epochs
  const trainingNano = jobCostNano(BigInt(trainingTokens), job.priceNanoPerMtok)
  const totalNano = samplingNano + judgingNano + trainingNano
  return { answers, measuredAnswers, samplingNano, judgingNano, trainingTokens, trainingNano, totalNano }
}

/** Most answers of a prompt that are trained on. */
function keptOf({ keep, keepPerPrompt, samplesPerPrompt, dropAllPass }: CheckedRound['request']): number {
  const passing = dropAllPass ? samplesPerPrompt - 1 : samplesPerPrompt
  if (keep === 'best') return 1
  return keep === 'top_k' ? Math.min(keepPerPrompt, passing) : passing
}

function tokensOf(prompts: readonly RoundPrompt[]): number {
  return prompts.reduce((sum, { messages, tools }) => sum + estimateTokens(JSON.stringify([messages, tools])), 0)
}

function nanoOf(usd: number): bigint {
  return usdToNano(Math.min(usd, 1_000_000))
}

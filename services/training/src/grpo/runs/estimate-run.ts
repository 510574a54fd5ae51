import { lookSamples } from '@ratchet/contracts/grpo-protocol'
import { usdToNano } from '@ratchet/contracts/money'
import { masterKeys } from '@ratchet/judge-kit/checks/master-keys'
import { jobCostNano } from '../../money/job-cost.ts'
import type { GrpoPrices } from '../../trainable-models/trainable-model.ts'
import { plannedLooks, type RunSettings } from './run-settings.ts'

/** What a run is expected to cost, nano-dollars. */
export interface RunEstimate {
  readonly samplingNano: bigint
  readonly trainingNano: bigint
  /** Judges of all steps, and what they are asked before the run: whether they pass answers that say nothing. */
  readonly judgingNano: bigint
  /** Answers of all looks, and both judges of them. */
  readonly guardSamplingNano: bigint
  readonly guardJudgingNano: bigint
  readonly totalNano: bigint
  readonly sampledTokens: number
}

export interface EstimatedCosts {
  readonly prices: GrpoPrices
  /** US dollars of one verdict of each judge of the reward, and of the hold-out judges. */
  readonly rewardUsd: readonly number[]
  readonly holdoutUsd: readonly number[]
}

/** Tokens of an answer of unknown length, at most. */
const assumedAnswerTokens = 256

/** Groups without variance that are sampled again are not foreseen; nor are answers that are shorter or longer than usual. */
export function estimateRun(settings: RunSettings, { prices, rewardUsd, holdoutUsd }: EstimatedCosts): RunEstimate {
  const {
    group_size: size,
    prompts_per_step: prompts,
    max_steps: steps,
    max_output_tokens: longest,
  } = settings.hyperparameters
  const answers = steps * prompts * size
  const tokens = Math.min(longest, assumedAnswerTokens)
  const looked = plannedLooks(settings) * settings.prompts.guard * lookSamples
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const samplingNano = jobCostNano(BigInt(answers * tokens), prices.sampleNanoPerMtok)
  const trainingNano = jobCostNano(BigInt(answers * tokens), prices.trainNanoPerMtok)
  const judgingNano = nanoOf((masterKeys.length + answers) * sum(rewardUsd))
  const guardSamplingNano = jobCostNano(BigInt(looked * tokens), prices.sampleNanoPerMtok)
  const guardJudgingNano = nanoOf(looked * sum([...rewardUsd, ...holdoutUsd]))
  const parts = [samplingNano, trainingNano, judgingNano, guardSamplingNano, guardJudgingNano]
  return {
    samplingNano,
    trainingNano,
    judgingNano,
    guardSamplingNano,
    guardJudgingNano,
    totalNano: parts.reduce((total, part) => total + part, 0n),
    sampledTokens: answers * tokens + looked * tokens,
  }
}

/** The part of the maximum cost that judges may take: their part of the estimate. */
export function judgingCapNano(estimate: RunEstimate, maxCostNano: bigint): bigint {
  const judging = estimate.judgingNano + estimate.guardJudgingNano
  if (judging === 0n || estimate.totalNano === 0n) return 0n
  const share = (maxCostNano * judging) / estimate.totalNano
  return (share / 1_000n) * 1_000n
}

function nanoOf(usd: number): bigint {
  return usdToNano(Math.min(usd, 1_000_000))
}

import { type EvalPlan, ExpectedResult, type PlanEval } from '@ratchet/contracts/eval-plan'
import { loggedBaseline } from '@ratchet/contracts/evals'
import { samplesForQuestion, sequentialSamples } from './samples-for-question.ts'

export interface PlanBasis {
  readonly request: PlanEval
  /** Prompts that the eval would use. */
  readonly prompts: number
  readonly judges: number
  /** Cost of these prompts with their judging, USD. */
  readonly costUsd: number
  /** Time of one sample, milliseconds; null when unknown. */
  readonly sampleMs: number | null
}

/** Samples that a worker evaluates at the same time by default. */
export const samplesAtOnce = 16
const msPerMinute = 60_000

const usualWinRate = 0.6
const { tie_rate: usualTieRate } = ExpectedResult.parse({})

/** Samples of an eval of one candidate that asks the usual question, for what its author expects by default. */
export const usualSamples =
  samplesForQuestion({
    question: 'better',
    margin: null,
    winRate: usualWinRate,
    tieRate: usualTieRate,
    candidates: 1,
  }) ?? 0

/** What an eval takes, and what its question takes, before anything starts. */
export function planEval({ request, prompts, judges, costUsd, sampleMs }: PlanBasis): EvalPlan {
  const question = request.question ?? 'better'
  const { tie_rate: tieRate, win_rate: winRate = question === 'better' ? usualWinRate : 0.5 } = request.expected
  const candidates = request.candidate_models.length
  const margin = request.margin ?? null
  const planned = { question, margin, winRate, tieRate, candidates }
  const samples = prompts * request.repetitions
  const needed = samplesForQuestion(planned)
  const minutesOf = (count: number) =>
    sampleMs === null ? null : (Math.ceil(count / samplesAtOnce) * sampleMs) / msPerMinute
  const answering = candidates + (request.baseline_model === loggedBaseline ? 0 : 1)
  return {
    question,
    margin,
    expected_win_rate: winRate,
    expected_tie_rate: tieRate,
    samples_needed: needed,
    samples_needed_sequential: sequentialSamples(planned, Math.max(50, request.sample_count / 2)),
    answered_by_this_eval: needed === null ? null : needed <= samples,
    model_calls: answering * samples,
    judge_calls: 2 * candidates * judges * samples,
    cost_usd: inMicroDollars(costUsd),
    cost_usd_needed: needed === null || samples === 0 ? null : inMicroDollars((costUsd / samples) * needed),
    minutes: minutesOf(samples),
    minutes_needed: needed === null ? null : minutesOf(needed),
  }
}

function inMicroDollars(usd: number): number {
  return Math.ceil(Number((usd * 1_000_000).toFixed(3))) / 1_000_000
}

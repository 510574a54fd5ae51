import type { BaselineReport, CandidateReport } from '@ratchet/contracts/eval-report'
import { nanoToUsd } from '@ratchet/contracts/money'
import { clusteredMeanInterval } from '@ratchet/stats/clustered-mean-interval'
import { type CostPair, costSavings } from '@ratchet/stats/cost-savings'
import { quantileInterval } from '@ratchet/stats/quantile-interval'
import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { savingsInterval } from '@ratchet/stats/savings-interval'
import type { MeasuredAnswer, MeasuredSample } from '../samples/measured-sample.ts'
import { isAnsweredTwice, type PairedSample } from './paired-sample.ts'

export type ModelFigures = Omit<BaselineReport, 'model'>

/** Answers of the model at this place. Answers in unfinished samples count too, because they were billed. */
export function answersAt(samples: readonly MeasuredSample[], place: number): readonly MeasuredAnswer[] {
  return samples.flatMap(({ answers }) => answers[place] ?? [])
}

/**
 * Figures of a model, baseline or candidate, that need no judge.
 *
 * @param assertionNames every name gets a row, even when no answer was checked against it
 */
export function modelFigures(answers: readonly MeasuredAnswer[], assertionNames: readonly string[]): ModelFigures {
  const answered = answers.filter(({ isAnswered }) => isAnswered)
  const errors = answers.length - answered.length
  const latencies = latenciesOf(answers)
  const p95 = quantileInterval(latencies, { quantile: 0.95 })
  return {
    avg_latency_ms: meanOf(latencies),
    p95_latency_ms: percentile95Of(latencies),
    p95_latency_ci: p95 === null ? null : [p95.low, p95.high],
    cost_usd: nanoToUsd(answers.reduce((sum, { costNano }) => sum + (costNano ?? 0n), 0n)),
    errors,
    error_rate: answers.length === 0 ? null : errors / answers.length,
    assertions: Object.fromEntries(assertionNames.map((name) => [name, assertionResult(answered, name)])),
  }
}

function assertionResult(answered: readonly MeasuredAnswer[], name: string): ModelFigures['assertions'][string] {
  const held = answered.flatMap(({ assertions }) => (Object.hasOwn(assertions, name) ? [assertions[name]] : []))
  const passed = held.filter((holds) => holds === true).length
  return { passed, total: held.length, pass_rate: held.length === 0 ? null : passed / held.length }
}

type Savings = Pick<CandidateReport, 'savingsPct' | 'savings_pct' | 'savings_ci'>

/**
 * The cost that a candidate saves compared with the baseline, over samples where both answered and both costs are known.
 * The bootstrap draws clusters, because these are the independent units.
 *
 * @param seed makes the interval repeatable
 */
export function savingsOf(samples: readonly PairedSample[], seed: string): Savings {
  const priced = samples.filter((sample) => isAnsweredTwice(sample) && sample.baseline.costNano !== null)
  const clusters = Map.groupBy(priced, ({ cluster }) => cluster)
  const pairs = [...clusters.values()].map(costsOf)
  const savings = costSavings(pairs)
  const interval = savingsInterval(pairs, { random: randomFromSeed(seed) })
  const savingsPct = savings === null ? null : percentOf(savings.savings)
  return {
    savingsPct,
    savings_pct: savingsPct,
    savings_ci: interval === null ? null : [percentOf(interval.low), percentOf(interval.high)],
  }
}

/** Summed costs of a cluster, nano-dollars. */
function costsOf(samples: readonly PairedSample[]): CostPair {
  const sum = (model: 'baseline' | 'candidate') =>
    Number(samples.reduce((total, sample) => total + (sample[model].costNano ?? 0n), 0n))
  return { baseline: sum('baseline'), candidate: sum('candidate') }
}

/** Rounded, so that savings of exactly 32 % pass a gate of 32 % in spite of floating-point errors. */
function percentOf(share: number): number {
  return Number((share * 100).toFixed(9)) + 0
}

type LatencyDifference = Pick<CandidateReport, 'latency_diff_ms' | 'latency_diff_ci' | 'latency_ratio'>

/** How much longer the candidate takes on the same prompts, over samples where both latencies are known. */
export function latencyDifferenceOf(samples: readonly PairedSample[]): LatencyDifference {
  const timed = samples.filter(isAnsweredTwice).flatMap(timesOf)
  const differences = [...Map.groupBy(timed, ({ cluster }) => cluster).values()].map((own) =>
    own.map(({ candidate, baseline }) => candidate - baseline),
  )
  const interval = clusteredMeanInterval(differences)
  return {
    latency_diff_ms: meanOf(differences.flat()),
    latency_diff_ci: interval === null ? null : [interval.low, interval.high],
    latency_ratio: ratioOf(
      meanOf(timed.map(({ candidate }) => candidate)),
      meanOf(timed.map(({ baseline }) => baseline)),
    ),
  }
}

function timesOf({ cluster, baseline, candidate }: PairedSample) {
  if (baseline.latencyMs === null || candidate.latencyMs === null) return []
  return [{ cluster, baseline: baseline.latencyMs, candidate: candidate.latencyMs }]
}

function ratioOf(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole
}

/** Known latencies of successful answers, milliseconds. */
function latenciesOf(answers: readonly MeasuredAnswer[]): readonly number[] {
  return answers.flatMap(({ isAnswered, latencyMs }) => (isAnswered && latencyMs !== null ? [latencyMs] : []))
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The smallest value that at least 95 % of the values do not exceed. */
function percentile95Of(values: readonly number[]): number | null {
  const ascending = Float64Array.from(values).sort()
  // Integers until the division: 0.95 * n may be slightly above the true rank.
  return ascending[Math.ceil((95 * values.length) / 100) - 1] ?? null
}

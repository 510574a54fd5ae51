import type { EvalDifference, EvalQuestion, EvalVerdict } from '@ratchet/contracts/eval-question'
import type { CreateEval } from '@ratchet/contracts/evals'
import { asymptoticConfidenceSequence } from '@ratchet/stats/asymptotic-confidence-sequence'
import { clusteredMean } from '@ratchet/stats/clustered-mean'
import { clusteredWinRate } from '@ratchet/stats/clustered-win-rate'
import { clampInterval, type Interval } from '@ratchet/stats/interval'
import { pairedDifference } from '@ratchet/stats/paired-difference'
import { type PairwiseCounts, winRate } from '@ratchet/stats/win-rate'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { outcomeOf } from './paired-sample.ts'

/** What an eval is to prove, fixed before its first sample. */
export interface AskedQuestion {
  readonly question: EvalQuestion
  /** Null for the question `better`. */
  readonly margin: number | null
  /** Whether results are read before all samples are finished. */
  readonly isSequential: boolean
  readonly plannedSamples: number
  /** Number of candidates; the error rate of a sequence is divided among them. */
  readonly candidates: number
  /** Probability that any sequence ever excludes the true difference; 5 % when absent. */
  readonly alpha?: number
}

/** Minimum samples of a verdict. A score interval of fewer is too narrow. */
const minSamples = 20
/** Minimum clusters before a confidence sequence, which is asymptotic, gives a verdict. */
export const minSequenceClusters = 50
const sequenceAlpha = 0.05

export function askedBy(
  request: Pick<CreateEval, 'question' | 'margin' | 'stop_when' | 'sample_count' | 'candidate_models'>,
): AskedQuestion {
  return {
    question: request.question ?? 'better',
    margin: request.margin ?? null,
    isSequential: request.stop_when === 'conclusive',
    plannedSamples: request.sample_count,
    candidates: request.candidate_models.length,
  }
}

/**
 * The difference of the candidate at this place, and what it proves.
 *
 * @param samples in the order of the draw; a sequence counts them up to the first unfinished one, because samples that
 *   finish early are not a random part of all
 * @returns null without counted samples
 */
export function differenceOf(
  samples: readonly MeasuredSample[],
  place: number,
  asked: AskedQuestion,
): EvalDifference | null {
  const counted = asked.isSequential ? finishedPrefix(samples) : samples
  const scored = counted.flatMap((sample) => {
    const score = scoreOf(sample, place)
    return score === null ? [] : [{ cluster: sample.cluster, score }]
  })
  const clusters = [...Map.groupBy(scored, ({ cluster }) => cluster).values()].map((own) =>
    own.map(({ score }) => score),
  )
  const estimate = asked.isSequential ? sequenceOf(clusters, asked) : fixedInterval(clusters)
  if (estimate === null) return null
  const isEnough = asked.isSequential ? clusters.length >= minSequenceClusters : scored.length >= minSamples
  const { value, interval } = estimate
  return {
    value,
    ci: [interval.low, interval.high],
    method: asked.isSequential ? 'confidence_sequence' : 'score_interval',
    samples: scored.length,
    question: asked.question,
    margin: asked.margin,
    verdict: isEnough ? verdictOf(interval, asked) : 'inconclusive',
  }
}

/**
 * A difference of a fixed number of samples that agrees with the win rate. The sign test and Holm's correction may leave the win
 * rate inconclusive where the score interval excludes 0: then the interval of the win rate widens it.
 *
 * @param winRateInterval null without a win rate
 */
export function widenedBy(
  difference: EvalDifference | null,
  winRateInterval: readonly [number, number] | null,
): EvalDifference | null {
  if (difference === null || winRateInterval === null) return difference
  const [low, high] = winRateInterval.map((rate) => 2 * rate - 1) as [number, number]
  const [ownLow, ownHigh] = difference.ci
  const isOpen = low <= 0 && high >= 0
  if (!isOpen || (ownLow <= 0 && ownHigh >= 0)) return difference
  const interval = { low: Math.min(low, ownLow), high: Math.max(high, ownHigh) }
  const verdict = difference.verdict === 'inconclusive' ? difference.verdict : verdictOf(interval, difference)
  return { ...difference, ci: [interval.low, interval.high], verdict }
}

/** The samples before the first one that is not finished. */
export function finishedPrefix(samples: readonly MeasuredSample[]): readonly MeasuredSample[] {
  const first = samples.findIndex(({ isFinished }) => !isFinished)
  return first === -1 ? samples : samples.slice(0, first)
}

/** Whether the question is answered for every candidate. */
export function isConclusive(samples: readonly MeasuredSample[], asked: AskedQuestion): boolean {
  return Array.from({ length: asked.candidates }, (_, place) => differenceOf(samples, place, asked)).every(
    (difference) => difference !== null && difference.verdict !== 'inconclusive',
  )
}

export function verdictOf({ low, high }: Interval, { question, margin }: Pick<AskedQuestion, 'question' | 'margin'>) {
  const bar = question === 'not_worse' ? -(margin ?? 0) : 0
  if (low > bar) return question satisfies EvalVerdict
  return high < bar ? 'worse' : 'inconclusive'
}

/** 1 for a win, -1 for a loss, 0 for a tie. A model that gives no answer loses. Null for a sample without a result. */
export function scoreOf({ answers, pairs }: MeasuredSample, place: number): -1 | 0 | 1 | null {
  const [baseline, candidate, pair] = [answers[0], answers[place + 1], pairs[place]]
  if (!baseline || !candidate || pair === undefined) return null
  const outcome = outcomeOf({ baseline, candidate, pair })
  if (outcome === 'error') return null
  return outcome === 'win' ? 1 : outcome === 'loss' ? -1 : 0
}

type Clusters = readonly (readonly number[])[]

interface Estimate {
  readonly value: number
  readonly interval: Interval
}

/** Clusters carry less information than as many independent samples, so their counts are reduced to the effective number. */
export function fixedInterval(clusters: Clusters): Estimate | null {
  const { wins, ties, losses } = countScores(clusters.flat())
  const scale = effectiveScale(clusters)
  const found = pairedDifference({ wins: wins * scale, ties: ties * scale, losses: losses * scale })
  return found === null ? null : { value: found.difference, interval: found.interval }
}

/** Share of samples in clusters that is as informative as independent ones; 1 without clusters. */
export function effectiveScale(clusters: Clusters): number {
  if (clusters.length === clusters.flat().length) return 1
  const [independent, clustered] = [winRate(countScores(clusters.flat())), clusteredWinRate(clusters.map(countScores))]
  if (independent === null || clustered === null) return 1
  return Math.min(1, clustered.effectiveTrials / independent.effectiveTrials)
}

/** One win and one loss are added to the variance, since a few equal samples at the beginning have none. */
export function sequenceOf(
  clusters: Clusters,
  { candidates, plannedSamples, alpha = sequenceAlpha }: Pick<AskedQuestion, 'candidates' | 'plannedSamples' | 'alpha'>,
): Estimate | null {
  const estimate = clusteredMean(clusters)
  if (estimate === null) return null
  const n = clusters.flat().length
  const fewClusters = clusters.length < 2 ? 1 : clusters.length / (clusters.length - 1)
  const variance = (n * (n * estimate.standardError ** 2 * fewClusters) + 2) / (n + 2)
  const interval = asymptoticConfidenceSequence(
    { mean: estimate.mean, variance, n },
    { alpha: alpha / candidates, tightestAt: tightestAt(plannedSamples) },
  )
  return { value: estimate.mean, interval: clampInterval(interval, { low: -1, high: 1 }) }
}

/** The number of samples at which the sequence is narrowest. */
export function tightestAt(plannedSamples: number): number {
  return Math.max(minSequenceClusters, plannedSamples / 2)
}

export function countScores(scores: readonly number[]): PairwiseCounts {
  const count = (score: number) => scores.filter((each) => each === score).length
  return { wins: count(1), ties: count(0), losses: count(-1) }
}

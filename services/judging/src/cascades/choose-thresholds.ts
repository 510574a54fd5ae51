import type { Verdict } from '@ratchet/contracts/criteria'
import { fixedSequence, type SequenceStep } from '@ratchet/stats/fixed-sequence'
import { normalQuantile } from '@ratchet/stats/special/normal-quantile'
import { stratifiedRate } from '@ratchet/stats/stratified-rate'
import { wilsonInterval } from '@ratchet/stats/wilson-interval'
import { drawsOf } from '../calibration/strata.ts'
import type { ProvenThresholds } from './cascade.ts'
import { decideItem, type Thresholds, type Votes } from './decide-item.ts'
import { thresholdChains } from './threshold-chains.ts'

/** A graded item with the verdicts of all judges. One that people were offered and left out has neither. */
export interface CascadeRow {
  readonly human: Verdict | null
  readonly votes: readonly Votes[]
  readonly samplingProbability: number
  readonly stratum: string | null
}

export interface ThresholdRequest {
  readonly verdictCounts: readonly number[]
  /** The promised agreement. */
  readonly agreement: number
  /** Probability that the promise does not hold. */
  readonly errorProbability: number
  /** Cost of one verdict of each judge, nano-dollars. */
  readonly nanoPerVerdict: readonly number[]
  readonly seed: string
}

/** Cheaper thresholds are preferred to those that decide at most this much more. */
const coverageGain = 0.02

/**
 * Of the thresholds whose agreement with people is proven, the cheapest of those that decide about as much as any. All
 * lists together err with the requested probability, so any of the proven ones may be chosen. Null when none is proven.
 */
export function chooseThresholds(rows: readonly CascadeRow[], request: ThresholdRequest): ProvenThresholds | null {
  const described = provenThresholds(rows, request).map((thresholds) => describeThresholds(rows, thresholds, request))
  const most = Math.max(...described.map(({ coverage }) => coverage))
  const [best] = described
    .filter(({ coverage }) => coverage >= most - coverageGain)
    .toSorted((one, other) => one.nanoPerItem - other.nanoPerItem || other.coverage - one.coverage)
  return best ?? null
}

function provenThresholds(rows: readonly CascadeRow[], request: ThresholdRequest): readonly Thresholds[] {
  const chains = thresholdChains(request.verdictCounts)
  const errorProbability = request.errorProbability / chains.length
  return chains.flatMap((chain) => {
    const steps = chain.map((thresholds) => countAgreement(rows, thresholds, { ...request, errorProbability }))
    return chain.slice(0, fixedSequence(steps, { bar: request.agreement, errorProbability }))
  })
}

type Counting = Pick<ThresholdRequest, 'errorProbability' | 'seed'>

/**
 * Decided items, and those of them on which people agree, as numbers of rows of equal weight. Draws with strata count for
 * what their strata prove, as in the calibration of a judge.
 */
function countAgreement(
  rows: readonly CascadeRow[],
  thresholds: Thresholds,
  { errorProbability, seed }: Counting,
): SequenceStep {
  const counts = drawsOf(rows).map(({ strata }): SequenceStep => {
    const counted = strata.map((stratum) => countStratum(stratum, thresholds))
    const [only] = counted
    if (only !== undefined && counted.length === 1) return { successes: only.found, trials: only.found + only.missed }
    const rated = stratifiedRate(counted, { seed, z: normalQuantile(1 - errorProbability) })
    return { successes: rated?.effectiveSuccesses ?? 0, trials: rated?.effectiveTrials ?? 0 }
  })
  return {
    successes: counts.reduce((sum, { successes }) => sum + successes, 0),
    trials: counts.reduce((sum, { trials }) => sum + trials, 0),
  }
}

function countStratum(rows: readonly CascadeRow[], thresholds: Thresholds) {
  const decided = rows.flatMap(({ human, votes }) => {
    if (human === null) return [false]
    const decision = decideItem(votes, thresholds)
    return decision === null ? [] : [decision.verdict === human]
  })
  const found = decided.filter((agrees) => agrees).length
  return {
    rows: rows.reduce((sum, { samplingProbability }) => sum + 1 / samplingProbability, 0),
    found,
    missed: decided.length - found,
    others: rows.length - decided.length,
    verdict: null,
  }
}

function describeThresholds(
  rows: readonly CascadeRow[],
  thresholds: Thresholds,
  { verdictCounts, nanoPerVerdict, seed }: ThresholdRequest,
): ProvenThresholds {
  const { successes, trials } = countAgreement(rows, thresholds, { errorProbability: 0.025, seed })
  const { low, high } = wilsonInterval(successes, trials) ?? { low: 0, high: 1 }
  const weighted = weighRows(rows).map(({ row, weight }) => ({ weight, decision: decideItem(row.votes, thresholds) }))
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  const shareOf = (matches: (by: number | null) => boolean) =>
    weighted.reduce((sum, { weight, decision }) => sum + (matches(decision?.by ?? null) ? weight : 0), 0) / total
  const nano = verdictCounts.map((count, judge) => {
    if (thresholds[judge] === null) return 0
    return count * (nanoPerVerdict[judge] ?? 0) * shareOf((by) => by === null || by >= judge)
  })
  return {
    thresholds,
    coverage: shareOf((by) => by !== null),
    agreement: trials === 0 ? 0 : successes / trials,
    agreementCi: [low, high],
    shares: verdictCounts.map((_, judge) => shareOf((by) => by === judge)),
    nanoPerItem: nano.reduce((sum, each) => sum + each, 0),
  }
}

/** Weights of rows as a part of the traffic. Each draw counts by its number of rows, however large its frame was. */
function weighRows(rows: readonly CascadeRow[]) {
  return drawsOf(rows).flatMap(({ strata }) => {
    const drawn = strata.flat()
    const weights = drawn.map(({ samplingProbability }) => 1 / samplingProbability)
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / drawn.length
    return drawn.map((row, index) => ({ row, weight: (weights[index] ?? 0) / mean }))
  })
}

import type { Trust } from '@ratchet/contracts/criteria'
import type { EvidenceProblem, WeighedEvidence } from '@ratchet/contracts/internal-eval'
import { reuseCriticalValue } from '@ratchet/stats/reuse-critical-value'
import { normalQuantile } from '@ratchet/stats/special/normal-quantile'
import { testedWinRate } from '@ratchet/stats/tested-win-rate'
import type { PairwiseCounts } from '@ratchet/stats/win-rate'
import { isConsistent } from '../judging/pair-verdict.ts'
import { outcomeOf, type PairedSample, pairSamples, preferencesOf } from '../report/paired-sample.ts'
import { orderEffectsOf } from '../report/win-rate-of.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'

export interface EvidenceInput {
  /** All samples that the eval drew, also those without a result. */
  readonly samples: readonly MeasuredSample[]
  /** Index of the candidate. */
  readonly place: number
  /** Number of candidates of the eval. */
  readonly candidates: number
  /** Trust in the judge when the eval was created; null when the judge is not a criterion. */
  readonly judgeTrust: Trust | null
  /** Number of this eval among those of the same two models, in the order of creation, from 1. */
  readonly attempt: number
  /** Average number of comparisons that earlier evals made on the same prompts. */
  readonly promptUses: number
}

/** One-sided error rate of all attempts of two models together. */
const totalLevel = 0.025
/** Fewer prompts, or agent runs, with a verdict are no evidence. */
const minPrompts = 30
/** No bound is computed beyond this critical value, whose error rate is 1e-12: the prompts prove nothing any more. */
const maxCriticalValue = 7

/**
 * Weighs what an eval proves about a candidate. Attempt i has the share 1/(i(i + 1)) of the error rate, and the shares of any
 * number of attempts sum up to at most one, so repeating an eval until it succeeds does not help, and a later attempt takes
 * nothing from an earlier proof. Prompts that earlier evals used count for less. A sample without a result counts as a loss:
 * why it is missing may have to do with the answer, and an eval that ends early proves nothing that it would not have proven
 * at its full size.
 */
export function weighEvidence(input: EvidenceInput): Omit<WeighedEvidence, 'sample_count' | 'seed'> {
  const { samples, place, candidates, attempt, promptUses } = input
  const paired = pairSamples(samples, place)
  const level = totalLevel / (attempt * (attempt + 1)) / candidates
  const lowAt = (uses: number) => boundOf(samples, paired, reuseCriticalValue(level, uses))
  return {
    problems: problemsOf(input, paired),
    attempt,
    level,
    prompt_uses: promptUses,
    win_rate_low: lowAt(promptUses),
    win_rate_low_if_fresh: lowAt(0),
    prompts_needed: promptsNeeded(clustersOf(samples, paired), totalLevel / ((attempt + 1) * (attempt + 2))),
    samples_judged: preferencesOf(paired).length,
  }
}

function problemsOf({ judgeTrust }: EvidenceInput, paired: readonly PairedSample[]): EvidenceProblem[] {
  const { judge_unreliable: isUnreliable, judge_biased: isBiased } = orderEffectsOf(preferencesOf(paired))
  const isUnmeasured = judgeTrust === null || judgeTrust === 'unmeasured'
  const prompts = new Set(paired.filter(({ pair }) => pair.kind === 'judged').map(({ cluster }) => cluster))
  const problems: Readonly<Record<EvidenceProblem, boolean>> = {
    judge_unmeasured: isUnmeasured,
    judge_untrusted: !isUnmeasured && judgeTrust !== 'trustworthy',
    judge_unreliable: isUnreliable,
    judge_biased: isBiased,
    too_few_samples: prompts.size < minPrompts,
  }
  return (Object.keys(problems) as EvidenceProblem[]).filter((problem) => problems[problem])
}

/**
 * The lower bound of the win rate. Inconsistent pairs are ties in one computation and left out in the other, and the smaller
 * bound counts: as ties they would pull a candidate that loses towards 0.5, and so above a bound below 0.5.
 */
function boundOf(
  samples: readonly MeasuredSample[],
  paired: readonly PairedSample[],
  criticalValue: number,
): number | null {
  if (criticalValue > maxCriticalValue) return null
  const [consistent, inconsistent] = [true, false].map((isKept) =>
    paired.filter(({ pair }) => (pair.kind !== 'judged' || isConsistent(pair.preferences)) === isKept),
  )
  const undecided = new Set(inconsistent?.map(({ id }) => id))
  const decided = samples.filter(({ id }) => !undecided.has(id))
  const bounds = [
    testedWinRate(clustersOf(samples, paired), criticalValue),
    testedWinRate(clustersOf(decided, consistent ?? []), criticalValue),
  ]
  const lows = bounds.flatMap((bound) => bound?.interval.low ?? [])
  return lows.length < bounds.length ? null : Math.min(...lows)
}

/** The counts of each prompt or run, where a sample without a result is a loss. */
function clustersOf(samples: readonly MeasuredSample[], paired: readonly PairedSample[]): readonly PairwiseCounts[] {
  const outcomes = new Map(paired.map((sample) => [sample.id, outcomeOf(sample)]))
  return [...Map.groupBy(samples, ({ cluster }) => cluster).values()].map((own) => {
    const results = own.map(({ id }) => outcomes.get(id) ?? 'error')
    const wins = results.filter((result) => result === 'win').length
    const ties = results.filter((result) => result === 'tie').length
    return { wins, ties, losses: results.length - wins - ties }
  })
}

/** Prompts that would prove a win rate above 0.5 when it is as high as measured; null when it is not above 0.5. */
function promptsNeeded(clusters: readonly PairwiseCounts[], level: number): number | null {
  const z = normalQuantile(1 - level)
  const estimate = testedWinRate(clusters, z)
  if (estimate === null || estimate.winRate <= 0.5) return null
  const { winRate: rate, effectiveTrials } = estimate
  const needed = (z ** 2 * clusters.length) / (4 * effectiveTrials * (rate - 0.5) ** 2)
  return Math.max(minPrompts, Math.ceil(needed))
}

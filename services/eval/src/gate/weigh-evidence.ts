import type { Trust } from '@ratchet/contracts/criteria'
import type { EvidenceProblem, WeighedEvidence } from '@ratchet/contracts/eval-evidence'
import { normalQuantile } from '@ratchet/stats/special/normal-quantile'
import { testedWinRate } from '@ratchet/stats/tested-win-rate'
import type { PairwiseCounts } from '@ratchet/stats/win-rate'
import { isConsistent } from '../judging/pair-verdict.ts'
import { finishedPrefix, minSequenceClusters } from '../report/difference-of.ts'
import { outcomeOf, type PairedSample, pairSamples, preferencesOf } from '../report/paired-sample.ts'
import { orderEffectsOf } from '../report/win-rate-of.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { evidenceBound, type LowOf } from './evidence-bound.ts'

export interface EvidenceInput {
  /** All samples that the eval drew, in the order of the draw, also those without a result. */
  readonly samples: readonly MeasuredSample[]
  /** Index of the candidate. */
  readonly place: number
  /** Number of candidates of the eval. */
  readonly candidates: number
  /** Trust in the judge when the eval was created; null when the judge is not a criterion. */
  readonly judgeTrust: Trust | null
  /** Why nothing may act on the judge, then; null when it may. */
  readonly cannotActReason: string | null
  /** Registered number of samples of an eval that may stop early; null for a fixed number of samples. */
  readonly plannedSequence: number | null
  /** Number of this eval among those of the same two models, in the order of creation, from 1. */
  readonly attempt: number
  /** Average number of comparisons that earlier evals made on the same prompts. */
  readonly promptUses: number
}

/** One-sided error rate of all attempts of two models together. */
const totalLevel = 0.025
/** Fewer prompts, or agent runs, with a verdict are no evidence. */
const minPrompts = 30

/** One-sided error rate of an attempt, which its candidates share. */
export function levelOf(attempt: number): number {
  return totalLevel / (attempt * (attempt + 1))
}

/**
 * Weighs what an eval proves about a candidate. Attempt i has the share 1/(i(i + 1)) of the error rate, and the shares of any
 * number of attempts sum up to at most one, so repeating an eval until it succeeds does not help, and a later attempt takes
 * nothing from an earlier proof. Prompts that earlier evals used count for less. A sample without a result counts as a loss:
 * why it is missing may have to do with the answer, and an eval that ends early proves nothing that it would not have proven
 * at its full size. Only an eval that was registered with `stop_when` counts by its confidence sequence, up to the first sample
 * that was not needed: that one is no loss, and later ones that finished nevertheless are not a random part.
 */
export function weighEvidence(input: EvidenceInput): Omit<WeighedEvidence, 'sample_count' | 'seed' | 'people'> {
  const { attempt, promptUses } = input
  const counted = countedOf(input)
  const { samples, paired } = counted
  const low = lowByUses(input, counted)
  return {
    problems: problemsOf(input, paired),
    judge_cannot_act_reason: input.cannotActReason,
    attempt,
    level: candidateLevel(input),
    prompt_uses: promptUses,
    win_rate_low: low(promptUses),
    win_rate_low_if_fresh: low(0),
    prompts_needed: promptsNeeded(clustersOf(samples, paired), levelOf(attempt + 1)),
    samples_judged: preferencesOf(paired).length,
  }
}

/** The lower bound of the win rate by the average number of earlier comparisons on the same prompts. */
export function winRateLow(input: EvidenceInput): (uses: number) => number | null {
  return lowByUses(input, countedOf(input))
}

function lowByUses(input: EvidenceInput, counted: Counted): (uses: number) => number | null {
  const { plannedSequence } = input
  const level = candidateLevel(input)
  const readings = readingsOf(counted)
  return (uses) => smallestLow(readings, evidenceBound({ level, uses, plannedSequence }))
}

/** One-sided error rate of one candidate of an eval. */
export function candidateLevel({ attempt, candidates }: Pick<EvidenceInput, 'attempt' | 'candidates'>): number {
  return levelOf(attempt) / candidates
}

interface Counted {
  readonly samples: readonly MeasuredSample[]
  readonly paired: readonly PairedSample[]
}

function countedOf({ samples: all, place, plannedSequence }: EvidenceInput): Counted {
  const samples = plannedSequence === null ? all : finishedPrefix(all)
  return { samples, paired: pairSamples(samples, place) }
}

function problemsOf(input: EvidenceInput, paired: readonly PairedSample[]): EvidenceProblem[] {
  const { judgeTrust, cannotActReason, plannedSequence } = input
  const { judge_unreliable: isUnreliable, judge_biased: isBiased } = orderEffectsOf(preferencesOf(paired))
  const isUnmeasured = judgeTrust === null || judgeTrust === 'unmeasured'
  const prompts = new Set(paired.filter(({ pair }) => pair.kind === 'judged').map(({ cluster }) => cluster))
  const problems: Readonly<Record<EvidenceProblem, boolean>> = {
    judge_unmeasured: isUnmeasured,
    judge_untrusted: !isUnmeasured && judgeTrust !== 'trustworthy',
    judge_cannot_act: judgeTrust === 'trustworthy' && cannotActReason !== null,
    judge_unreliable: isUnreliable,
    judge_biased: isBiased,
    too_few_samples: prompts.size < (plannedSequence === null ? minPrompts : minSequenceClusters),
  }
  return (Object.keys(problems) as EvidenceProblem[]).filter((problem) => problems[problem])
}

/**
 * The counts, twice. Inconsistent pairs are ties in one reading and left out in the other, and the smaller bound counts: as
 * ties they would pull a candidate that loses towards 0.5, and so above a bound below 0.5.
 */
function readingsOf({ samples, paired }: Counted): readonly (readonly PairwiseCounts[])[] {
  const [consistent, inconsistent] = [true, false].map((isKept) =>
    paired.filter(({ pair }) => (pair.kind !== 'judged' || isConsistent(pair.preferences)) === isKept),
  )
  const undecided = new Set(inconsistent?.map(({ id }) => id))
  const decided = samples.filter(({ id }) => !undecided.has(id))
  return [clustersOf(samples, paired), clustersOf(decided, consistent ?? [])]
}

function smallestLow(readings: readonly (readonly PairwiseCounts[])[], lowOf: LowOf): number | null {
  const lows = readings.flatMap((counts) => lowOf(counts) ?? [])
  return lows.length < readings.length ? null : Math.min(...lows)
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

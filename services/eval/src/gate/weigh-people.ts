import type { PeopleEvidence } from '@ratchet/contracts/eval-evidence'
import { type BlindPreference, comparedInOrder } from '../preferences/compared-blind.ts'
import { minSequenceClusters } from '../report/difference-of.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { evidenceBound } from './evidence-bound.ts'
import { candidateLevel } from './weigh-evidence.ts'

export interface PeopleInput {
  /** All samples that the eval drew, in the order of the draw. */
  readonly samples: readonly MeasuredSample[]
  readonly preferences: readonly BlindPreference[]
  /** Index of the candidate. */
  readonly place: number
  /** Number of candidates of the eval. */
  readonly candidates: number
  /** Registered number of samples. */
  readonly sampleCount: number
  /** Number of the comparison among the evals and comparisons of the two models; null before the first blind preference. */
  readonly attempt: number | null
  /** Average number of comparisons that earlier evals made on the same prompts. */
  readonly promptUses: number
}

/**
 * Weighs what people who compare answers blind prove about a candidate. Their result is an attempt of its own, since it may be
 * asked for when that of the judge was not enough. It is read after every answer, and may end at any: so it counts by a
 * confidence sequence, in the order of the draw.
 *
 * @returns null before the first blind preference
 */
export function weighPeople(input: PeopleInput): PeopleEvidence | null {
  const { samples, preferences, place, candidates, sampleCount, attempt, promptUses: uses } = input
  if (attempt === null) return null
  const compared = comparedInOrder(samples, preferences, place)
  const level = candidateLevel({ attempt, candidates })
  const clusters = [...Map.groupBy(compared, ({ cluster }) => cluster).values()].map((own) => ({
    wins: own.filter(({ preferred }) => preferred === 'candidate').length,
    ties: own.filter(({ preferred }) => preferred === 'tie').length,
    losses: own.filter(({ preferred }) => preferred === 'baseline').length,
  }))
  const score = clusters.reduce((sum, { wins, ties }) => sum + wins + ties / 2, 0)
  return {
    problems: clusters.length < minSequenceClusters ? ['too_few_samples'] : [],
    compared: compared.length,
    compared_by: [...new Set(compared.flatMap(({ createdBy }) => createdBy ?? []))],
    attempt,
    level,
    win_rate: compared.length === 0 ? null : score / compared.length,
    win_rate_low: evidenceBound({ level, uses, plannedSequence: sampleCount })(clusters),
  }
}

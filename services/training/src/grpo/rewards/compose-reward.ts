import { type FrozenJudge, type RunReward, termsOf } from '../runs/run-settings.ts'

/** Value of each term, 0 to 1, by its name; null when a judge or tool said none, which counts as 0. */
export type TermValues = ReadonlyMap<string, number | null>

/**
 * Share of the fails that a judge finds beyond those that it would find by chance: TPR + TNR − 1. A difference of its pass rates
 * is so many times the true one. 1 for a judge whose errors are not known.
 */
export function youdenOf({ tpr, tnr }: Pick<FrozenJudge, 'tpr' | 'tnr'>): number {
  return tpr === null || tnr === null ? 1 : Math.max(0.1, tpr + tnr - 1)
}

/** Weights of the terms, 1 together: larger for a judge whose errors hide a part of every difference. */
export function effectiveWeights(reward: RunReward, judges: readonly FrozenJudge[]): ReadonlyMap<string, number> {
  const errorOf = new Map(
    judges.filter(({ role }) => role === 'reward').map((judge) => [judge.criterionId, youdenOf(judge)]),
  )
  const criterionOf = new Map(reward.criteria.map(({ name, criterionId }) => [name, criterionId]))
  const raw = termsOf(reward).map(
    ({ name, weight }) => [name, weight / (errorOf.get(criterionOf.get(name) ?? '') ?? 1)] as const,
  )
  const total = raw.reduce((sum, [, weight]) => sum + weight, 0)
  return new Map(raw.map(([name, weight]) => [name, weight / total]))
}

/**
 * The reward of an answer, 0 to 1: the weighted mean of its terms, and 0 without a required one.
 *
 * @param weights of {@link effectiveWeights}
 */
export function composeReward(reward: RunReward, weights: ReadonlyMap<string, number>, values: TermValues): number {
  const terms = termsOf(reward)
  if (terms.some(({ name, required }) => required && (values.get(name) ?? 0) === 0)) return 0
  let [sum, total] = [0, 0]
  for (const { name } of terms) {
    const weight = weights.get(name) ?? 0
    sum += weight * (values.get(name) ?? 0)
    total += weight
  }
  return sum / total
}

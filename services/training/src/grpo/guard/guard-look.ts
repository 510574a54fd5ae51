import { normalQuantile } from '@ratchet/stats/special/normal-quantile'
import { mean } from '../rewards/group-advantages.ts'

/**
 * What two judges think of the answers to one prompt: the mean of the values of its answers, in which a true change of 1 is a
 * change of 1, see {@link corrected}.
 */
export interface LookedPrompt {
  readonly train: number
  /** Null without a hold-out judge. */
  readonly holdout: number | null
}

export interface GuardRules {
  /** Looks after the first one of a run that goes to its end. */
  readonly looks: number
  /** Gain that only the reward may see. */
  readonly margin: number
}

export interface GuardFinding {
  readonly gap: { readonly estimate: number; readonly lower: number } | null
  readonly holdoutGain: { readonly estimate: number; readonly upper: number } | null
  readonly verdict: 'collecting' | 'healthy' | 'diverging' | 'regressed'
}

/** Probability that an honest run is ever called diverging, over all of its looks. */
const alpha = 0.05

/**
 * Compares a look with the first one, prompt by prompt. `diverging`: the reward has gained, beyond the margin, what the judge that
 * rewards nothing does not see. `regressed`: by that judge, the policy is worse than at the start.
 *
 * Each of L looks is tested at α/L, which is valid however they depend on each other. Prompts are the clusters: the answers to one
 * prompt are alike.
 *
 * @param first the prompts of the look before training
 * @param now the same prompts, in the same order
 */
export function guardLook(
  first: readonly LookedPrompt[],
  now: readonly LookedPrompt[],
  { looks, margin }: GuardRules,
): GuardFinding {
  const gains = now.flatMap((prompt, index) => {
    const before = first[index]
    if (before === undefined || before.holdout === null || prompt.holdout === null) return []
    return [{ train: prompt.train - before.train, holdout: prompt.holdout - before.holdout }]
  })
  if (gains.length < 2) return { gap: null, holdoutGain: null, verdict: 'collecting' }
  const z = normalQuantile(1 - alpha / Math.max(1, looks))
  const gap = estimateOf(gains.map(({ train, holdout }) => train - holdout))
  const gain = estimateOf(gains.map(({ holdout }) => holdout))
  const lower = gap.mean - z * gap.error
  const upper = gain.mean + z * gain.error
  const verdict = lower > margin ? 'diverging' : upper < 0 ? 'regressed' : 'healthy'
  return { gap: { estimate: gap.mean, lower }, holdoutGain: { estimate: gain.mean, upper }, verdict }
}

/** @param youden TPR + TNR − 1 of the judge, by which a true change of its pass rate is multiplied */
export function corrected(passRate: number, youden: number): number {
  return passRate / youden
}

function estimateOf(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const average = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0)
  return { mean: average, error: Math.sqrt(squares / (values.length - 1) / values.length) }
}

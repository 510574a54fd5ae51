import { requireAmount, requireInnerRate, requireSuccesses } from './require-arguments.ts'
import { incompleteBeta } from './special/incomplete-beta.ts'

/** The rows of one hypothesis; fractions where they are an effective number. */
export interface SequenceStep {
  /** 0..trials */
  readonly successes: number
  /** ≥ 0 */
  readonly trials: number
}

export interface SequenceTest {
  /** The rate that is to be proven, between 0 and 1. */
  readonly bar: number
  /** Probability that any step is proven although its rate is below the bar, between 0 and 1. */
  readonly errorProbability: number
}

/**
 * How many hypotheses of an ordered list are proven: "the rate of step i is at least the bar", each tested at the complete
 * error probability by the exact binomial test, until the first that is not proven. The order must be fixed before the rows
 * are seen, and the rows of one step may be those of others.
 *
 * @returns 0..steps.length
 * @throws RangeError when a count or a probability is impossible
 * @see Angelopoulos, Bates, Candès, Jordan & Lei 2021, arXiv:2110.01052; Jung, Brahman & Choi 2024, arXiv:2407.18370
 * @example fixedSequence([{ successes: 60, trials: 60 }, { successes: 70, trials: 80 }], { bar: 0.9, errorProbability: 0.05 }) // 1
 */
export function fixedSequence(steps: readonly SequenceStep[], { bar, errorProbability }: SequenceTest): number {
  requireInnerRate('bar', bar)
  requireInnerRate('errorProbability', errorProbability)
  const first = steps.findIndex((step) => pValueBelow(step, bar) > errorProbability)
  return first === -1 ? steps.length : first
}

/** P(X ≥ successes) of a binomial with the bar as its rate. */
function pValueBelow({ successes, trials }: SequenceStep, bar: number): number {
  requireAmount('trials', trials)
  requireSuccesses(successes, trials)
  return successes === 0 ? 1 : incompleteBeta(bar, { a: successes, b: trials - successes + 1 })
}

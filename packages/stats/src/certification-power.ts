import { eValueAboveBar } from './e-value-above-bar.ts'
import { TRUST_BAR } from './grades-needed.ts'
import { requireCount, requireRate } from './require-arguments.ts'
import { binomialTail } from './special/binomial-tail.ts'
import { firstWholeNumber } from './special/first-whole-number.ts'
import { wilsonInterval } from './wilson-interval.ts'

/**
 * The probability that a rate with a given true value is proven at the bar of 0.9 by one analysis after a number of trials.
 * Shows before grading whether the planned number of grades is enough.
 *
 * @param trueRate 0..1
 * @param trials count
 * @param neededEValue the e-value that the proof must reach too, so that it is valid at any number of analyses; 0, none,
 *   when absent
 * @returns probability, 0..1
 * @throws RangeError when an argument is out of range
 * @see Wilson 1927 for the bound; the sum over outcomes is exact
 * @example certificationPower(0.97, 100) // 0.82
 */
export function certificationPower(trueRate: number, trials: number, neededEValue = 0): number {
  requireRate('trueRate', trueRate)
  requireCount('trials', trials)
  const proves = (successes: number) =>
    (wilsonInterval(successes, trials)?.low ?? 0) >= TRUST_BAR && eValueAboveBar(successes, trials) >= neededEValue
  const enough = firstWholeNumber({ above: 0, to: trials + 1 }, proves)
  return binomialTail(enough, { trials, rate: trueRate })
}

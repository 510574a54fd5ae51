import { TRUST_BAR } from './grades-needed.ts'
import { requireCount, requireInnerRate, requireRate } from './require-arguments.ts'
import { binomialTail } from './special/binomial-tail.ts'
import { firstWholeNumber } from './special/first-whole-number.ts'
import { wilsonInterval } from './wilson-interval.ts'

/**
 * The probability that a rate with a given true value is proven at the bar by one analysis after a number of trials. Shows
 * before grading whether the planned number of grades is enough.
 *
 * @param trueRate 0..1
 * @param trials count
 * @param bar between 0 and 1
 * @returns probability, 0..1
 * @throws RangeError when an argument is out of range
 * @see Wilson 1927 for the bound; the sum over outcomes is exact
 * @example certificationPower(0.97, 100) // 0.82
 */
export function certificationPower(trueRate: number, trials: number, bar = TRUST_BAR): number {
  requireRate('trueRate', trueRate)
  requireCount('trials', trials)
  requireInnerRate('bar', bar)
  const proves = (successes: number) => (wilsonInterval(successes, trials)?.low ?? 0) >= bar
  const enough = firstWholeNumber({ above: 0, to: trials + 1 }, proves)
  return binomialTail(enough, { trials, rate: trueRate })
}

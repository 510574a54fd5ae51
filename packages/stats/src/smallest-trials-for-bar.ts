import { TRUST_BAR } from './grades-needed.ts'
import { requireCount } from './require-arguments.ts'
import { firstWholeNumber } from './special/first-whole-number.ts'
import { wilsonInterval } from './wilson-interval.ts'

/**
 * The smallest number of trials with the given number of errors whose Wilson bound at 95 % proves the bar of 0.9.
 *
 * @param errors count
 * @throws RangeError when an argument is out of range
 * @example smallestTrialsForBar(0) // 35
 */
export function smallestTrialsForBar(errors: number): number {
  requireCount('errors', errors)
  const proves = (trials: number) => (wilsonInterval(trials - errors, trials)?.low ?? 0) >= TRUST_BAR
  let enough = errors + 1
  while (!proves(enough)) enough *= 2
  return firstWholeNumber({ above: errors, to: enough }, proves)
}

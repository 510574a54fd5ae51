import { requireCounts, requireRate } from '../require-arguments.ts'
import { incompleteBeta } from './incomplete-beta.ts'

/**
 * P(X ≥ successes) for a binomial X.
 *
 * @param successes count, may exceed the trials
 * @param trials count
 * @param rate of success in one trial, 0..1
 * @returns 0..1
 * @throws RangeError when an argument is out of range
 * @see NIST DLMF 8.17.5
 * @example binomialTail(9, { trials: 10, rate: 0.5 }) // 11/1024
 */
export function binomialTail(successes: number, binomial: { readonly trials: number; readonly rate: number }): number {
  const { trials, rate } = binomial
  requireCounts({ successes, trials })
  requireRate('rate', rate)
  if (successes === 0) return 1
  if (successes > trials) return 0
  return incompleteBeta(rate, { a: successes, b: trials - successes + 1 })
}

import { requireCount, requireInnerRate } from './require-arguments.ts'
import { chiSquareTail } from './special/chi-square-tail.ts'

/** The number of requests of an arm, and its expected share. */
export interface ArmCount {
  readonly count: number
  /** Between 0 and 1; the shares of all arms add up to 1. */
  readonly share: number
}

/**
 * Tests whether the arms of an experiment have their expected sizes. A tiny p-value means that requests are not
 * assigned or counted as planned, so that no comparison of the arms is valid.
 *
 * @returns chi-square statistic and its p-value, or null without requests
 * @throws RangeError when there are fewer than two arms or the shares do not add up to 1
 * @see Pearson 1900; Fabijan et al. 2019, doi:10.1145/3292500.3330722
 * @example sampleRatioTest([{ count: 900, share: 0.1 }, { count: 9400, share: 0.9 }])?.p // 0.00002
 */
export function sampleRatioTest(arms: readonly ArmCount[]): { readonly statistic: number; readonly p: number } | null {
  if (arms.length < 2) throw new RangeError(`arms must be at least two, got ${arms.length}`)
  arms.forEach(({ count, share }, index) => {
    requireCount(`arms[${index}].count`, count)
    requireInnerRate(`arms[${index}].share`, share)
  })
  const shares = arms.reduce((sum, { share }) => sum + share, 0)
  if (Math.abs(shares - 1) > 1e-9) throw new RangeError(`the shares of the arms must add up to 1, got ${shares}`)
  const total = arms.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return null
  const statistic = arms.reduce((sum, { count, share }) => sum + (count - share * total) ** 2 / (share * total), 0)
  return { statistic, p: chiSquareTail(statistic, arms.length - 1) }
}

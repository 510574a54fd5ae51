import { requireCounts, requirePart } from './require-arguments.ts'

/** Successes of a first group, such as the canary, and of a second one, such as the target. */
export interface TwoProportions {
  readonly successes1: number
  readonly trials1: number
  readonly successes2: number
  readonly trials2: number
}

/** @throws RangeError when the counts are impossible */
export function requireTwoProportions(groups: TwoProportions): void {
  const { successes1, trials1, successes2, trials2 } = groups
  requireCounts({ successes1, trials1, successes2, trials2 })
  requirePart({ successes1 }, trials1)
  requirePart({ successes2 }, trials2)
}

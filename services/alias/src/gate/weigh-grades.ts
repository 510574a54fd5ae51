import type { Verdict } from '@ratchet/contracts/criteria'
import type { Arm } from '@ratchet/contracts/internal-alias'
import { type ArmGrades, type DrawnGrades, noDrawnGrades } from './arm-counts.ts'

/** Sums over drawn answers of an arm with one verdict; the weight of an answer is 1 / the probability of its draw. */
export interface GradeSums {
  readonly arm: Arm
  readonly verdict: Verdict
  /** Whether these are answers that people were offered and skipped. The others are graded. */
  readonly skipped: boolean
  readonly answers: number
  readonly weights: number
  /** Sum of the squares of the weights. */
  readonly squares: number
  /** Sum of the weights of what people failed. */
  readonly fail_weights: number
}

/**
 * The grades of an arm, and the same when what people skipped is as bad for the canary as it can be: they saw it and graded
 * others, so it may be what does not flatter the canary.
 */
export function weighGrades(arm: Arm, sums: readonly GradeSums[]): Omit<ArmGrades, 'graded'> {
  const own = sums.filter((each) => each.arm === arm)
  const skipped = own.filter((each) => each.skipped)
  const of = (verdict: Verdict, some: readonly GradeSums[]) =>
    effective(some.filter((each) => each.verdict === verdict))
  const graded = own.filter((each) => !each.skipped)
  const worst = skipped.map((each) => ({ ...each, fail_weights: arm === 'canary' ? each.weights : 0 }))
  return {
    gradedFails: of('fail', graded),
    gradedPasses: of('pass', graded),
    skipped: skipped.reduce((sum, { answers }) => sum + answers, 0),
    atWorst:
      skipped.length === 0
        ? null
        : { gradedFails: of('fail', [...graded, ...worst]), gradedPasses: of('pass', [...graded, ...worst]) },
  }
}

/** Kish's effective number of the weighted grades. */
function effective(sums: readonly GradeSums[]): DrawnGrades {
  const total = (of: 'weights' | 'squares' | 'fail_weights') => sums.reduce((sum, each) => sum + each[of], 0)
  if (sums.length === 0) return noDrawnGrades
  const drawn = total('weights') ** 2 / total('squares')
  return { drawn, humanFails: (drawn * total('fail_weights')) / total('weights') }
}

import { asymptoticMargin, type SequenceOptions } from './asymptotic-confidence-sequence.ts'
import { differenceVariance } from './difference-variance.ts'
import { requireInnerRate } from './require-arguments.ts'
import { firstWholeNumber } from './special/first-whole-number.ts'

/**
 * The number of verdicts on both arms together at which the asymptotic confidence sequence of the difference lies within a
 * margin, if both arms have the same pass rate. It gives the estimated time until a gate decides.
 *
 * @param plan pass rate and margin between 0 and 1; `share1` is the share of verdicts that go to the first arm
 * @throws RangeError when an argument is out of range
 * @see Waudby-Smith et al. 2024, doi:10.1214/24-AOS2408
 */
export function samplesToProveMargin(
  plan: { readonly passRate: number; readonly margin: number; readonly share1: number },
  options: SequenceOptions = {},
): number {
  const { passRate, margin, share1 } = plan
  requireInnerRate('passRate', passRate)
  requireInnerRate('margin', margin)
  requireInnerRate('share1', share1)
  const variance = differenceVariance({ rate1: passRate, rate2: passRate, share1 })
  const proves = (n: number) => asymptoticMargin({ variance, n }, options) < margin
  let enough = 2
  while (!proves(enough)) enough *= 2
  return firstWholeNumber({ above: 1, to: enough }, proves)
}

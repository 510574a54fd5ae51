import { sequenceRho } from './asymptotic-confidence-sequence.ts'
import { requireFinite, requirePositive } from './require-arguments.ts'
import { normalCdf } from './special/normal-cdf.ts'

/**
 * Evidence that a difference lies below a bound, as an e-value: under the hypothesis that it does not, its mean is at most 1
 * at any stopping time, so 1/e is an always-valid p-value. A mixture of likelihood ratios over all smaller differences.
 * Asymptotic, like `asymptoticConfidenceSequence`: use 1 instead with fewer than about 50 rows in a group.
 *
 * @param options.tightestAt the information 1/error² at which evidence grows fastest; fix it before the first interim look
 * @returns the natural logarithm of the e-value, because evidence can be enormous
 * @throws RangeError when an argument is out of range
 * @see Howard et al. 2021, doi:10.1214/20-AOS1991, arXiv:1810.08240 (one-sided normal mixture)
 */
export function logEValueBelow(
  estimate: { readonly difference: number; readonly standardError: number; readonly bound: number },
  options: { readonly tightestAt: number },
): number {
  const { difference, standardError, bound } = estimate
  requireFinite('difference', difference)
  requireFinite('bound', bound)
  requirePositive('standardError', standardError)
  const information = 1 / standardError ** 2
  const rho = sequenceRho(options.tightestAt)
  const growth = 1 + information * rho ** 2
  const x = (information * (bound - difference) * rho) / Math.sqrt(growth)
  return Math.LN2 + logNormalCdf(x) + x ** 2 / 2 - Math.log(growth) / 2
}

/** Far below 0, the mass of the normal distribution underflows, and the product with exp(x²/2) is about 1/(|x|·√2π). */
function logNormalCdf(x: number): number {
  if (x > -30) return Math.log(normalCdf(x))
  return -(x ** 2) / 2 - Math.log(-x * Math.sqrt(2 * Math.PI))
}

import { sequenceRho } from './asymptotic-confidence-sequence.ts'
import { requireFinite, requireInnerRate, requirePositive } from './require-arguments.ts'
import { bisect } from './special/bisect.ts'
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
  const { growth, scale } = mixtureAt(standardError, options)
  return logMixture((bound - difference) / scale, growth)
}

/**
 * Distance from a difference to the bound at which `logEValueBelow` reaches 1/alpha: the difference lies below
 * difference + margin at every interim look together, with probability 1 − alpha. Asymptotic in the same way.
 *
 * @param alpha probability that the bound ever misses the difference, between 0 and 1
 * @returns a positive number, in the unit of the difference
 * @throws RangeError when an argument is out of range
 */
export function oneSidedMargin(
  { standardError, alpha }: { readonly standardError: number; readonly alpha: number },
  options: { readonly tightestAt: number },
): number {
  requirePositive('standardError', standardError)
  requireInnerRate('alpha', alpha)
  const { growth, scale } = mixtureAt(standardError, options)
  // From here on x²/2 alone exceeds the evidence that is required.
  const farthest = Math.sqrt(2 * (Math.log(growth) - Math.log(alpha)) + 2)
  return scale * bisect({ from: 0, to: farthest }, (x) => logMixture(x, growth) >= -Math.log(alpha))
}

function mixtureAt(standardError: number, { tightestAt }: { readonly tightestAt: number }) {
  const information = 1 / standardError ** 2
  const rho = sequenceRho(tightestAt)
  const growth = 1 + information * rho ** 2
  return { growth, scale: Math.sqrt(growth) / (information * rho) }
}

/** The logarithm of the mixture, by the distance to the bound in units of `scale`. */
function logMixture(x: number, growth: number): number {
  return Math.LN2 + logNormalCdf(x) + x ** 2 / 2 - Math.log(growth) / 2
}

/** Far below 0, the mass of the normal distribution underflows, and the product with exp(x²/2) is about 1/(|x|·√2π). */
function logNormalCdf(x: number): number {
  if (x > -30) return Math.log(normalCdf(x))
  return -(x ** 2) / 2 - Math.log(-x * Math.sqrt(2 * Math.PI))
}

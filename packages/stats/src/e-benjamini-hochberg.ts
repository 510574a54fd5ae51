import { requireEach, requireFinite, requireInnerRate } from './require-arguments.ts'

/**
 * Rejects hypotheses by their e-values so that the expected share of false rejections is at most alpha, whatever the
 * dependence between them. With e-values that are valid at any stopping time it may be repeated until it rejects: when no
 * hypothesis is false, the chance that it ever does is at most alpha.
 *
 * @param logEValues natural logarithms, one per hypothesis
 * @returns for each hypothesis whether it is rejected
 * @throws RangeError when an argument is out of range
 * @see Wang & Ramdas 2022, doi:10.1111/rssb.12489, arXiv:2009.02824
 */
export function eBenjaminiHochberg(logEValues: readonly number[], alpha: number): readonly boolean[] {
  requireEach('logEValues', logEValues, requireFinite)
  requireInnerRate('alpha', alpha)
  const descending = logEValues.toSorted((one, other) => other - one)
  const lowest = (place: number) => Math.log(logEValues.length / (alpha * (place + 1)))
  const last = descending.findLastIndex((value, place) => value >= lowest(place))
  const threshold = descending[last] ?? Number.POSITIVE_INFINITY
  return logEValues.map((value) => value >= threshold)
}

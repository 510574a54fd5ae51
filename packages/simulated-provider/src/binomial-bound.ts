/**
 * True when a count is within five standard deviations of the mean of `trials` draws with probability `share`. That is
 * wide enough for a correct rate and narrow enough to detect a wrong one.
 */
export function isWithinBinomialBound(count: number, trials: number, share: number): boolean {
  return Math.abs(count - trials * share) <= 5 * Math.sqrt(trials * share * (1 - share))
}

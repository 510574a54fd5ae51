/**
 * Whether a count is within five standard deviations of what `trials` draws of probability `share` give:
 * wide enough that an honest rate never fails, narrow enough that a wrong one does.
 */
export function isWithinBinomialBound(count: number, trials: number, share: number): boolean {
  return Math.abs(count - trials * share) <= 5 * Math.sqrt(trials * share * (1 - share))
}

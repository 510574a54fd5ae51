import type { EvalDifference } from '@ratchet/contracts/eval-question'
import type { WinRateFigures } from './win-rate-of.ts'

/** Figures of a candidate that are computed as for a fixed number of samples, also when the eval may stop early. */
export const fixedSizeFigures = [
  'segments',
  'length_controlled_ci',
  'position_bias_p',
  'savings_ci',
  'latency_diff_ci',
] as const

/**
 * The win rate of an eval that may stop early, from its confidence sequence. The interval and the sign test of a fixed
 * number of samples are wrong there: of evals of equal models, one in four would seem conclusive at some time.
 */
export function sequentialFigures(difference: EvalDifference | null): WinRateFigures {
  const none = { sign_test_p: null, sign_test_p_holm: null, p_value: null, samples_needed: null }
  if (difference === null) return { ...none, winRate: null, win_rate: null, win_rate_ci: null, inconclusive: true }
  const [low, high] = difference.ci
  const rate = (1 + difference.value) / 2
  return {
    ...none,
    winRate: rate,
    win_rate: rate,
    win_rate_ci: [(1 + low) / 2, (1 + high) / 2],
    inconclusive: difference.verdict === 'inconclusive' || (low <= 0 && high >= 0),
  }
}

import { clopperPearsonInterval } from '@ratchet/stats/clopper-pearson-interval'

/**
 * One-sided 95 % bound of the share of answers that people fail among those that the reward likes best: 0 of 30 → 0.095, 1 → 0.149,
 * 2 → 0.195, 3 → 0.239. Null without grades.
 */
export function falsePassBound(failed: number, graded: number): number | null {
  return clopperPearsonInterval(failed, graded, 0.9)?.high ?? null
}

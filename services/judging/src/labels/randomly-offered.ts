import type { UnansweredItem } from '../calibration/graded-items.ts'

/** Left out items that a draw without strata offered, by log UUID or trace id. */
export function randomlyOffered(unanswered: readonly UnansweredItem[]): ReadonlySet<string> {
  return new Set(unanswered.filter(({ sampling }) => sampling.kind === 'random').map(({ itemKey }) => itemKey))
}

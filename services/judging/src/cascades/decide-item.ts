import type { Verdict } from '@ratchet/contracts/criteria'

/** Number of verdicts of one judge on one item. Unreadable ones are in neither. */
export interface Votes {
  readonly fail: number
  readonly pass: number
}

/** By judge: how many equal verdicts decide, more than half of them; null when the judge does not take part. */
export type Thresholds = readonly (number | null)[]

export interface Decision {
  readonly verdict: Verdict
  /** Index of the judge that decided. */
  readonly by: number
}

/** What the first judge with enough equal verdicts decides; null when none has. */
export function decideItem(votes: readonly Votes[], thresholds: Thresholds): Decision | null {
  for (const [by, minEqual] of thresholds.entries()) {
    const { fail, pass } = votes[by] ?? noVotes
    if (minEqual !== null && Math.max(fail, pass) >= minEqual) return { verdict: fail > pass ? 'fail' : 'pass', by }
  }
  return null
}

export const noVotes: Votes = { fail: 0, pass: 0 }

export function countVotes(verdicts: readonly (Verdict | null)[]): Votes {
  return {
    fail: verdicts.filter((verdict) => verdict === 'fail').length,
    pass: verdicts.filter((verdict) => verdict === 'pass').length,
  }
}

import type { Verdict } from '@ratchet/contracts/criteria'
import type { Arm } from '@ratchet/contracts/internal-alias'
import type { ByArm, GatePlan } from './plan-gate.ts'

/** A scored answer, or a run with the first request of it that was found. */
export interface DrawableSample {
  readonly logId: string
  /** The trace id of a run. */
  readonly cluster: string | null
  /** Sort key of the random order in which answers are drawn. */
  readonly rank: string
}

/** The scored answers or runs of one arm with one verdict. */
export interface DrawableStratum {
  readonly arm: Arm
  readonly verdict: Verdict
  /** All scored answers. */
  readonly members: number
  /** Those of them that were drawn and graded before. */
  readonly drawn: number
  /** Those that were not drawn yet, in a random order. */
  readonly samples: readonly DrawableSample[]
}

export interface DrawnAnswer extends DrawableSample {
  /** Share of its stratum that was drawn, now or before; 0 < p <= 1. */
  readonly probability: number
}

/**
 * Draws the answers that people should grade next: from each stratum in proportion to the grades that its plan still
 * misses, or evenly when it misses none. All are in the random order of the draw: it reveals neither arm nor verdict, and
 * whoever grades from the top and stops has skipped nothing.
 */
export function drawAnswers(
  strata: readonly DrawableStratum[],
  { grades, limit }: { readonly grades: ByArm<GatePlan['grades']['target']>; readonly limit: number },
): readonly DrawnAnswer[] {
  const open = strata.map(({ arm, verdict, drawn, samples }) => ({
    missing: Math.max(0, (verdict === 'fail' ? grades[arm].fails : grades[arm].passes) - drawn),
    available: samples.length,
  }))
  const counts = shareOut(open, limit)
  return strata
    .flatMap(({ samples, drawn, members }, index) => {
      const count = counts[index] ?? 0
      const probability = Math.min(1, (drawn + count) / members)
      return samples.slice(0, count).map((sample) => ({ ...sample, probability }))
    })
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
}

interface Open {
  readonly missing: number
  readonly available: number
}

/** Gives one after the other to the stratum that has received the smallest part of what it misses. */
function shareOut(open: readonly Open[], limit: number): readonly number[] {
  const counts = open.map(() => 0)
  const isNothingMissing = open.every(({ missing }) => missing === 0)
  for (let each = 0; each < limit; each += 1) {
    const next = open.reduce((best, { missing, available }, index) => {
      const isFull = (counts[index] ?? 0) >= (isNothingMissing ? available : Math.min(available, missing))
      if (isFull) return best
      const part = (place: number) => ((counts[place] ?? 0) + 1) / Math.max(1, open[place]?.missing ?? 1)
      return best === -1 || part(index) < part(best) ? index : best
    }, -1)
    if (next === -1) break
    counts[next] = (counts[next] ?? 0) + 1
  }
  return counts
}

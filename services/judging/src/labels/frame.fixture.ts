import { openStrata } from './choose-candidates.ts'
import type { FrameItem } from './grading-frame.ts'

const rank = (logId: string) => logId

interface Stratum {
  readonly rows: number
  readonly fails: number
  readonly passes: number
}

/** A frame whose first items of each stratum in the random order are graded, the failed ones first. */
export function frameOf(strata: Readonly<Record<string, Stratum>>) {
  const items = Object.entries(strata).flatMap(([stratum, { rows, fails, passes }]) =>
    Array.from({ length: rows }, (_, index): FrameItem => {
      const isGraded = index < fails + passes
      const human = index < fails ? 'fail' : 'pass'
      const logId = `${stratum}-${String(index).padStart(5, '0')}`
      return { logId, stratum, isGraded, isOffered: isGraded, human: isGraded ? human : null }
    }),
  )
  return openStrata(items, rank)
}

import { classSpread } from './class-spread.ts'

/** Grades by human class and verdict of the judge: fails that it found and missed, passes that it missed and found. */
export type Tally = number[]

export type Class = 'fail' | 'pass'

export interface TalliedStratum {
  /** All rows of the stratum, > 0. */
  readonly rows: number
  /** The verdict by which the stratum was formed; null when it has no one verdict. */
  readonly verdict: Class | null
  /** Grades of other draws that count too. */
  readonly elsewhere?: Readonly<Record<Class, ClassGrades>>
}

/** Grades of one human class as a number of grades of equal weight; may be fractional. */
export interface ClassGrades {
  readonly found: number
  readonly trials: number
}

/** Places in a tally of what the judge found, missed, and of the other class. */
const cells = { fail: [0, 1, 2, 3], pass: [3, 2, 0, 1] } as const
/** The priors of `stratifiedRate`. */
const prior = { found: 0.5, missed: 1, others: 0.5, unlikely: 0.02 }

/**
 * Counts a class as a calibration would. `stratifiedRate` draws thousands of times for one interval; here its posterior is
 * reduced to mean and variance, of which a beta distribution has as many trials.
 */
export function tallyClass(strata: readonly TalliedStratum[], tallies: readonly Tally[], human: Class): ClassGrades {
  const [found, missed, ...others] = cells[human]
  const counted = strata.map(({ rows, verdict, elsewhere }, index) => {
    const tally = tallies[index] ?? []
    const other = (tally[others[0]] ?? 0) + (tally[others[1]] ?? 0)
    return {
      rows,
      verdict,
      elsewhere: elsewhere?.[human] ?? nothing,
      found: tally[found] ?? 0,
      missed: tally[missed] ?? 0,
      others: other,
    }
  })
  const [only] = counted
  if (only === undefined) return { found: 0, trials: 0 }
  if (counted.length === 1) return { found: only.found, trials: only.found + only.missed }
  const own = stratified(counted, human)
  return { found: own.found + only.elsewhere.found, trials: own.trials + only.elsewhere.trials }
}

const nothing: ClassGrades = { found: 0, trials: 0 }

interface CountedStratum {
  readonly rows: number
  readonly verdict: Class | null
  readonly found: number
  readonly missed: number
  readonly others: number
}

function stratified(strata: readonly CountedStratum[], human: Class): ClassGrades {
  const ofClass = sumOf(strata, ({ found, missed }) => found + missed)
  if (ofClass === 0 || strata.some((each) => each.found + each.missed + each.others === 0))
    return { found: 0, trials: 0 }
  const weight = ({ rows, found, missed, others }: CountedStratum) => rows / (found + missed + others)
  const finds = sumOf(strata, (each) => weight(each) * each.found)
  const misses = sumOf(strata, (each) => weight(each) * each.missed)
  const finding = strata.filter(({ verdict }) => verdict === human).length
  const missing = strata.length - finding
  const { rate, variance } = classSpread(
    strata.map(({ rows, verdict, found, missed, others }) => ({
      rows,
      found: found + (verdict === human ? prior.found / finding : prior.unlikely),
      missed: missed + (verdict === human ? prior.unlikely : prior.missed / missing),
      others: others + prior.others,
    })),
  )
  const size = (rate * (1 - rate)) / variance - 1
  const graded = sumOf(strata, (each) => each.found + each.missed + each.others)
  const trials = Math.max(0, Math.min(graded, size - prior.found - prior.missed))
  return { found: (finds / (finds + misses)) * trials, trials }
}

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

import { repeatedRows } from '@ratchet/contracts/calibrations'
import { assumedSecondsPerGrade, type GradingForecast } from '@ratchet/contracts/scans'

/** What grades take of people and money. */
export type GradingTakes = Pick<
  GradingForecast,
  'seconds_per_grade' | 'seconds_per_grade_from' | 'minutes_needed' | 'cost_usd_needed'
>

/** How long a person looks at an item that is graded. */
export interface GradingPace {
  /** Of the latest grades; null with none. */
  readonly medianMs: number | null
  readonly grades: number
}

interface Planned {
  /** Null when no number is known. */
  readonly grades: number | null
  /** Items that are graded already, and are judged with the new ones. */
  readonly graded: number
  readonly pace: GradingPace
  /** Null when it is not known. */
  readonly usdPerVerdict: number | null
}

/** The median of fewer says little. */
const minGrades = 10

/** Seconds for a grade, at least a tenth of a second. */
export function secondsPerGrade({ medianMs, grades }: GradingPace): { seconds: number; from: 'grades' | 'assumed' } {
  if (medianMs === null || grades < minGrades) return { seconds: assumedSecondsPerGrade, from: 'assumed' }
  return { seconds: Math.max(0.1, medianMs / 1_000), from: 'grades' }
}

export function gradingTakes({ grades, graded, pace, usdPerVerdict }: Planned): GradingTakes {
  const { seconds, from } = secondsPerGrade(pace)
  const isJudged = grades !== null && grades > 0
  const rows = graded + (grades ?? 0)
  const cost = isJudged && usdPerVerdict !== null ? (rows + repeatedRows(rows)) * usdPerVerdict : null
  return {
    seconds_per_grade: seconds,
    seconds_per_grade_from: from,
    minutes_needed: grades === null ? null : (grades * seconds) / 60,
    cost_usd_needed: grades === 0 ? 0 : cost,
  }
}

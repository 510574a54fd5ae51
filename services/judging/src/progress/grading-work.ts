import type { GradingWork } from '@ratchet/contracts/internal-judging'
import { type GradingPace, secondsPerGrade } from '../labels/grading-takes.ts'
import type { GradedCounts } from './judge-progress.ts'

interface WorkFacts {
  /** Of the judge that is nearest to act. */
  readonly graded: GradedCounts
  readonly pace: GradingPace
  readonly usdPerVerdict: number | null
}

/** What plans of grading are made from. Before both classes were met, neither has the share 0: half an item of each is added. */
export function gradingWork({ graded: { fails, passes }, pace, usdPerVerdict }: WorkFacts): GradingWork {
  const drawn = fails + passes
  return {
    seconds_per_grade: secondsPerGrade(pace).seconds,
    usd_per_verdict: usdPerVerdict,
    drawn_grades: drawn,
    fail_share: drawn === 0 ? null : (fails + 0.5) / (drawn + 1),
  }
}

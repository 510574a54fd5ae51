import type { SetupStatus } from '@ratchet/contracts/setup-status'
import { minGrades } from '../calibration/calibration-notes.ts'
import type { GradedCounts, JudgeProgress } from './judge-progress.ts'
import { nearestToAct, neededToAct } from './needed-to-act.ts'

export interface SetupFacts {
  readonly gradedItems: number
  /** Items graded for no judge in particular, which count for every judge of their unit; an entry for each unit. */
  readonly forEveryJudge: readonly GradedCounts[]
  readonly judges: readonly JudgeProgress[]
}

/** The part of the setup status about grades and judges. */
export function setupProgress({
  gradedItems,
  forEveryJudge,
  judges,
}: SetupFacts): Pick<SetupStatus, 'grades' | 'judges'> {
  const calibrated = judges.flatMap(({ measures }) => measures ?? [])
  const waiting = judges.filter(({ measures }) => measures === null).map(({ graded }) => graded)
  const nearest = judges.length === 0 ? [{ fails: 0, passes: 0 }, ...forEveryJudge] : waiting
  const needed = calibrated.length > 0 && waiting.length === 0 ? [0] : nearest.map(gradesMissing)
  const acting = judges.map(neededToAct)
  const nearestOne = nearestToAct(acting)
  const failsNeeded = calibrated.flatMap(({ failGradesNeeded }) => failGradesNeeded ?? [])
  return {
    grades: { total: gradedItems, needed_to_calibrate: Math.min(...needed) },
    judges: {
      total: judges.length,
      calibrated: calibrated.length,
      trustworthy: calibrated.filter(({ trust }) => trust === 'trustworthy').length,
      can_act: acting.filter(({ reason }) => reason === null).length,
      fail_grades_needed: failsNeeded.length === 0 ? 0 : Math.min(...failsNeeded),
      act_fail_grades_needed: nearestOne?.fails ?? null,
      act_pass_grades_needed: nearestOne?.passes ?? null,
      cannot_act_reason: nearestOne?.reason ?? null,
    },
  }
}

/** A calibration needs at least `minGrades` items and at least one of each class. */
function gradesMissing({ fails, passes }: GradedCounts): number {
  return Math.max(minGrades - fails - passes, Number(fails === 0) + Number(passes === 0))
}

import type { StoredCriterion } from '../criteria/criterion.ts'
import type { GradeWork } from '../labels/grade-work.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import { itemsOfRound, type RoundItems } from './evidence.ts'

interface RoundItemDeps {
  readonly grades: Pick<GradeReader, 'inForce' | 'unanswered'>
  readonly gradeWork: GradeWork
}

interface RoundMoment {
  readonly roundId: string
  /** Grades of unfinished batches. */
  readonly hidden: ReadonlySet<string>
  readonly at: Date
}

/** What the grades of a round say at a moment. Nothing when its judge was deleted. */
export async function readRoundItems(
  { grades, gradeWork }: RoundItemDeps,
  criterion: StoredCriterion | null,
  { at, ...round }: RoundMoment,
): Promise<RoundItems> {
  if (criterion === null) return { decided: [], unanswered: [] }
  return gradeWork.places.run(criterion.workspaceId, async () => {
    const [inForce, unanswered] = [await grades.inForce(criterion, at), await grades.unanswered(criterion, at)]
    return gradeWork.sliced.run(itemsOfRound({ grades: inForce, unanswered }, round))
  })
}

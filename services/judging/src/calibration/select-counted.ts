import type { StoredCriterion } from '../criteria/criterion.ts'
import type { GradeWork } from '../labels/grade-work.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import { type CalibrationRequest, type SelectedItems, selectItemsInSteps } from './select-items.ts'

export interface SelectCountedDeps {
  readonly grades: Pick<GradeReader, 'inForce'>
  readonly gradeWork: GradeWork
}

/** Reads the grades of a judge and selects the items that count, in a place and in turns for such work. */
export function selectCounted(
  { grades, gradeWork }: SelectCountedDeps,
  criterion: StoredCriterion,
  { at, request }: { readonly at: Date; readonly request: CalibrationRequest },
): Promise<SelectedItems> {
  return gradeWork.places.run(criterion.workspaceId, async () =>
    gradeWork.sliced.run(selectItemsInSteps(await grades.inForce(criterion, at), request)),
  )
}

import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { promptSha256 } from '../criteria/instrument.ts'
import type { JudgeRun, NewRun } from './judge-run.ts'

/** The fields that a new run copies from its criterion. */
export function runOfCriterion({
  workspaceId,
  id: criterionId,
  instrument,
  judgeModel,
  judgePrompt,
  checks,
}: StoredCriterion): Pick<NewRun, 'workspaceId' | 'criterionId' | 'instrument' | 'judgeModel' | 'promptSha256'> {
  return { workspaceId, criterionId, instrument, judgeModel, promptSha256: promptSha256(judgePrompt, checks) }
}

/** The criterion of a run. Null when it was deleted, and for a run without one. */
export async function criterionOfRun(
  criteria: Pick<CriterionStore, 'get'>,
  { workspaceId, criterionId }: Pick<JudgeRun, 'workspaceId' | 'criterionId'>,
): Promise<StoredCriterion | null> {
  return criterionId === null ? null : criteria.get({ workspaceId, id: criterionId })
}

import type { ImprovementState } from '../assist/improvement.ts'
import { splitItems } from '../assist/split-items.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { JudgeRun, RunStore } from '../runs/judge-run.ts'
import type { CalibrationStore } from './pg-calibrations.ts'

export interface TunedItemsDeps {
  readonly runs: Pick<RunStore, 'list'>
  readonly calibrations: Pick<CalibrationStore, 'judgedItems'>
}

const maxImprovements = 100

/**
 * Keys of the items that the present prompt of a judge was tuned on. Their grades are no evidence for that prompt.
 */
export async function tunedItems(
  { runs, calibrations }: TunedItemsDeps,
  { workspaceId, id: criterionId, judgePrompt }: StoredCriterion,
): Promise<ReadonlySet<string>> {
  const requested = { workspaceId, criterionId, kind: 'improvement' as const, limit: maxImprovements, offset: 0 }
  const { runs: improvements } = await runs.list(requested)
  const tuned = new Set<string>()
  for (const run of improvements.filter((each) => hasProposed(each, judgePrompt))) {
    const { train } = splitItems(await calibrations.judgedItems(run.id))
    for (const { itemKey } of train) tuned.add(itemKey)
  }
  return tuned
}

function hasProposed({ result }: JudgeRun, prompt: string): boolean {
  const state = result as ImprovementState | null
  return state?.phase === 'done' && state.best > 0 && state.tried[state.best]?.prompt === prompt
}

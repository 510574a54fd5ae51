import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { PlannedJudgement } from '../judgements/judgement.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import type { CascadeMember } from './cascade.ts'
import { verdictPrompts } from './verdict-prompts.ts'

export interface VerdictPlan {
  readonly run: Pick<LeasedRun, 'id'>
  readonly criterion: Pick<StoredCriterion, 'id' | 'instrument' | 'judgePrompt'>
  readonly member: Pick<CascadeMember, 'verdicts'>
  /** Names the item within the run. */
  readonly itemKey: string
  /** The judgement of the item by any judge. */
  readonly item: Omit<PlannedJudgement, 'id' | 'criterionId' | 'instrument' | 'judgePrompt' | 'source'>
}

/** Plans all verdicts of one judge on one item. */
export function planVerdicts({ run, criterion, member, itemKey, item }: VerdictPlan): readonly PlannedJudgement[] {
  return verdictPrompts(criterion.judgePrompt, member.verdicts).map((judgePrompt, index) => ({
    ...item,
    id: deterministicId('cascade', run.id, itemKey, criterion.id, String(index)),
    source: 'cascade',
    criterionId: criterion.id,
    instrument: criterion.instrument,
    judgePrompt,
  }))
}

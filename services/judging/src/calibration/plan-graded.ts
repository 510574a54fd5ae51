import type { StoredCriterion } from '../criteria/criterion.ts'
import type { PlannedJudgement } from '../judgements/judgement.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import type { WeighedItem } from './graded-items.ts'

export interface GradedPlan extends Pick<PlannedJudgement, 'id' | 'source' | 'judgePrompt'> {
  readonly run: Pick<LeasedRun, 'id' | 'workspaceId' | 'instrument' | 'createdAt'>
  readonly criterion: Pick<StoredCriterion, 'id'>
  readonly item: WeighedItem
}

/** Plans the judgement of a graded item, from the stored snapshot of its exchange, for a run that measures a prompt. */
export function planGraded({ run, criterion, item, ...plan }: GradedPlan): PlannedJudgement {
  return {
    ...plan,
    workspaceId: run.workspaceId,
    criterionId: criterion.id,
    runId: run.id,
    instrument: run.instrument,
    judgedResponse: null,
    item: { kind: 'snapshot', snapshotId: item.snapshotId },
    labelId: item.labelId,
    // What people said is compared with the first verdict only.
    human: plan.source === 'repeat' ? null : item.human,
    samplingProbability: item.samplingProbability,
    stratum: item.stratum,
    segment: item.segment,
    tag: item.tag,
    isCanary: false,
    itemAt: null,
    expiresAt: null,
    createdAt: run.createdAt,
  }
}

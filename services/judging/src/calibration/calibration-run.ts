import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import type { JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import type { RunHandler } from '../runs/advance-run.ts'
import type { LeasedRun, RunStore } from '../runs/judge-run.ts'
import { calibrationResultOf, plannedResult } from './calibration-result.ts'
import type { CalibrationStore } from './calibration-store.ts'
import { concludeCalibration, type JudgedRow } from './conclude-calibration.ts'
import type { GradeReader } from './graded-items.ts'
import { type CalibrationRequest, type GradedItem, selectItems } from './select-items.ts'
import { tunedItems } from './tuned-items.ts'

export interface CalibrationRunDeps {
  readonly criteria: Pick<CriterionStore, 'get' | 'clearStale'>
  readonly grades: Pick<GradeReader, 'inForce'>
  readonly judgements: Pick<JudgementStore, 'ofRun' | 'isOver'>
  readonly calibrations: Pick<CalibrationStore, 'void' | 'countDone' | 'deadLetterReasons' | 'judgedItems'>
  readonly runs: Pick<RunStore, 'list'>
  readonly now: () => Date
}

/** Takes calibrations further: plans a judgement for each graded item, and measures the judge when all are over. */
export function createCalibrationRunHandler(deps: CalibrationRunDeps): RunHandler {
  return async (run) => {
    const { workspaceId, criterionId } = run
    const criterion = criterionId === null ? null : await deps.criteria.get({ workspaceId, id: criterionId })
    if (criterion === null) return { kind: 'failed', error: 'The judge was deleted.' }
    if (criterion.instrument !== run.instrument) return giveUp(deps, run)
    if (run.rowsTotal === null) return plan(deps, run, criterion)
    if (!(await deps.judgements.isOver(run.id))) return { kind: 'wait', rowsTotal: run.rowsTotal }
    return conclude(deps, run, criterion)
  }
}

/** Voided, the run takes no further step; what is answered here is for nobody. */
async function giveUp({ calibrations, now }: CalibrationRunDeps, { id }: LeasedRun) {
  const reason = 'the judge changed while this ran'
  await calibrations.void(id, { reason, at: now() })
  return { kind: 'failed' as const, error: reason }
}

/** Grades are read as they were when the run began, so that a second plan is the first one. */
async function plan(deps: CalibrationRunDeps, run: LeasedRun, criterion: StoredCriterion) {
  const grades = await deps.grades.inForce(criterion, run.createdAt)
  const { items: graded, ties } = selectItems(grades, run.request as CalibrationRequest)
  const tuned = await tunedItems(deps, criterion)
  const items = graded.filter(({ itemKey }) => !tuned.has(itemKey))
  if (items.length === 0) return { kind: 'failed' as const, error: 'There is no graded item to judge.' }
  const judgements = items.map((item) => plannedJudgement(run, criterion, item))
  return {
    kind: 'wait' as const,
    rowsTotal: judgements.length,
    result: plannedResult(ties, graded.length - items.length),
    judgements,
  }
}

function plannedJudgement(run: LeasedRun, criterion: StoredCriterion, item: GradedItem): PlannedJudgement {
  return {
    id: deterministicId(run.id, item.itemKey, String(run.instrument)),
    workspaceId: run.workspaceId,
    criterionId: criterion.id,
    runId: run.id,
    source: 'calibration',
    instrument: run.instrument,
    judgePrompt: null,
    judgedResponse: null,
    item: { kind: 'snapshot', snapshotId: item.snapshotId },
    labelId: item.labelId,
    human: item.human,
    weight: item.weight,
    stratum: item.stratum,
    segment: item.segment,
    tag: item.tag,
    isCanary: false,
    itemAt: null,
    expiresAt: null,
    createdAt: run.createdAt,
  }
}

async function conclude(deps: CalibrationRunDeps, run: LeasedRun, criterion: StoredCriterion) {
  const { criteria, judgements, calibrations } = deps
  const rows: JudgedRow[] = []
  for await (const row of judgements.ofRun(run.id)) rows.push(row)
  const conclusion = concludeCalibration({
    rows,
    poisoned: await calibrations.deadLetterReasons(run.id),
    ties: calibrationResultOf(run)?.ties ?? 0,
    tuned: calibrationResultOf(run)?.tuned ?? 0,
    earlierLooks: await calibrations.countDone({ criterionId: criterion.id, instrument: run.instrument }),
  })
  // Before the end is kept, so that no worker that dies in between leaves a fresh calibration flagged as aged.
  if (conclusion.kind === 'done') await criteria.clearStale({ workspaceId: run.workspaceId, id: criterion.id })
  return conclusion
}

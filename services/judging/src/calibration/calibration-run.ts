import type { SlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import type { JudgementStore } from '../judgements/judgement.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import type { RunHandler } from '../runs/advance-run.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import { criterionOfRun } from '../runs/run-of-criterion.ts'
import { calibrationResultOf, plannedResult } from './calibration-result.ts'
import { concludeCalibration, type JudgedRow } from './conclude-calibration.ts'
import { copiedJudge } from './copied-judge.ts'
import type { CalibrationStore } from './pg-calibrations.ts'
import { planGraded } from './plan-graded.ts'
import { drawRepeated } from './repeats.ts'
import { type CalibrationRequest, selectItemsInSteps } from './select-items.ts'
import { tunedItems } from './tuned-items.ts'

export interface CalibrationRunDeps {
  readonly criteria: Pick<CriterionStore, 'get' | 'clearStale'>
  readonly grades: Pick<GradeReader, 'inForce' | 'unanswered'>
  /** Shared by all runs. */
  readonly slicedWork: SlicedWork
  readonly judgements: Pick<JudgementStore, 'ofRun' | 'isOver'>
  readonly calibrations: Pick<
    CalibrationStore,
    'void' | 'countDone' | 'countCopies' | 'deadLetterReasons' | 'proposals' | 'judgedItems'
  >
  readonly now: () => Date
}

/** Plans a judgement for each graded item, and measures the judge when all are over. */
export function createCalibrationRunHandler(deps: CalibrationRunDeps): RunHandler {
  return async (run) => {
    const criterion = await criterionOfRun(deps.criteria, run)
    if (criterion === null) return { kind: 'failed', error: 'The judge was deleted.' }
    if (criterion.instrument !== run.instrument) return voidRun(deps, run)
    if (run.rowsTotal === null) return plan(deps, run, criterion)
    if (!(await deps.judgements.isOver(run.id))) return { kind: 'wait', rowsTotal: run.rowsTotal }
    return conclude(deps, run, criterion)
  }
}

/** Voids the run. The returned step is not saved, because a voided run is over. */
async function voidRun({ calibrations, now }: CalibrationRunDeps, { id }: LeasedRun) {
  const reason = 'the judge changed during the calibration'
  await calibrations.void(id, { reason, at: now() })
  return { kind: 'failed' as const, error: reason }
}

/** Reads the grades that were in force when the run began, so that a retry plans the same. */
async function plan(deps: CalibrationRunDeps, run: LeasedRun, criterion: StoredCriterion) {
  const grades = await deps.grades.inForce(criterion, run.createdAt)
  const unanswered = await deps.grades.unanswered(criterion, run.createdAt)
  const selection = selectItemsInSteps(grades, run.request as CalibrationRequest, unanswered)
  const { items: graded, ...counts } = await deps.slicedWork.run(selection)
  const tuned = await tunedItems(deps, criterion)
  const items = graded.filter(({ itemKey }) => !tuned.has(itemKey))
  if (items.length === 0) return { kind: 'failed' as const, error: 'There is no graded item to judge.' }
  const common = { criterion, judgePrompt: null, run }
  const first = items.map((item) => {
    const id = deterministicId(run.id, item.itemKey, String(run.instrument))
    return planGraded({ ...common, id, source: 'calibration', item })
  })
  const again = drawRepeated(items, run.id).map((item) => {
    const id = deterministicId(run.id, item.itemKey, String(run.instrument), 'repeat')
    return planGraded({ ...common, id, source: 'repeat', item })
  })
  return {
    kind: 'wait' as const,
    rowsTotal: first.length,
    result: { ...plannedResult(), ...counts, tuned: graded.length - items.length },
    judgements: [...first, ...again],
  }
}

async function conclude(deps: CalibrationRunDeps, run: LeasedRun, criterion: StoredCriterion) {
  const { criteria, judgements, calibrations } = deps
  const planned = calibrationResultOf(run) ?? plannedResult()
  const rows: JudgedRow[] = []
  const again: JudgedRow[] = []
  for await (const row of judgements.ofRun(run.id)) (row.source === 'repeat' ? again : rows).push(row)
  const conclusion = concludeCalibration({
    rows,
    again,
    deadLettered: await calibrations.deadLetterReasons(run.id),
    runId: run.id,
    ties: planned.ties,
    tuned: planned.tuned,
    leftOut: planned.leftOut ?? 0,
    incomplete: planned.incomplete ?? 0,
    unanswered: planned.unanswered ?? [],
    cut: planned.cut ?? 0,
    earlierLooks: await calibrations.countDone({ criterionId: criterion.id, instrument: run.instrument }),
    copies: await calibrations.countCopies(copiedJudge(criterion, { at: run.createdAt, runId: run.id })),
  })
  // Before the result is saved, so that a crash in between does not leave a fresh calibration flagged as stale.
  if (conclusion.kind === 'done')
    await criteria.clearStale({ workspaceId: run.workspaceId, id: criterion.id }, deps.now())
  return conclusion
}

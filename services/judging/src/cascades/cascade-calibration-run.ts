import type { SlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { type KnownAccuracy, knownAccuracy } from '../calibration/judge-accuracy.ts'
import { measureJudge } from '../calibration/measure-judge.ts'
import { type MeasuredRow, unansweredRow } from '../calibration/measured-row.ts'
import type { CalibrationStore } from '../calibration/pg-calibrations.ts'
import { planGraded } from '../calibration/plan-graded.ts'
import { selectItemsInSteps } from '../calibration/select-items.ts'
import { drawOf, randomStratum, stratumKey } from '../calibration/strata.ts'
import { type TunedItemsDeps, tunedItems } from '../calibration/tuned-items.ts'
import { unjudgedRows } from '../calibration/unjudged-rows.ts'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import type { DoneJudgement, JudgementStore } from '../judgements/judgement.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import type { RunHandler } from '../runs/advance-run.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import type { CascadeCalibrationRequest, CascadeCalibrationResult, ProvenThresholds, StoredCascade } from './cascade.ts'
import { freezeMembers, readMembers, whyVoid } from './cascade-members.ts'
import { type CascadeRow, chooseThresholds } from './choose-thresholds.ts'
import { countVotes, decideItem } from './decide-item.ts'
import { errorProbabilityOf } from './error-probability.ts'
import { everyKnownDraw } from './every-known-draw.ts'
import type { CascadeStore } from './pg-cascades.ts'
import { planVerdicts } from './plan-verdicts.ts'

export interface CascadeCalibrationDeps extends TunedItemsDeps {
  readonly cascades: Pick<CascadeStore, 'get' | 'countAttempt'>
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly grades: Pick<GradeReader, 'inForce' | 'unanswered'>
  /** Shared by all runs. */
  readonly slicedWork: SlicedWork
  readonly judgements: Pick<JudgementStore, 'ofRun' | 'isOver'>
  readonly calibrations: Pick<CalibrationStore, 'deadLetterReasons' | 'proposals' | 'judgedItems'>
}

/** Has all judges of a cascade judge every graded item, and chooses its thresholds when all verdicts are there. */
export function createCascadeCalibrationRunHandler(deps: CascadeCalibrationDeps): RunHandler {
  return async (run) => {
    const { cascadeId: id } = run.request as CascadeCalibrationRequest
    const cascade = await deps.cascades.get({ workspaceId: run.workspaceId, id })
    if (cascade === null) return { kind: 'failed', error: 'The cascade was deleted.' }
    const criteria = await readMembers(deps.criteria, cascade)
    if (criteria === null) return { kind: 'failed', error: 'A judge of the cascade was deleted.' }
    if (run.rowsTotal === null) return plan(deps, { run, cascade, criteria })
    if (!(await deps.judgements.isOver(run.id))) return { kind: 'wait', rowsTotal: run.rowsTotal }
    return conclude(deps, { run, cascade, criteria })
  }
}

interface Step {
  readonly run: LeasedRun
  readonly cascade: StoredCascade
  readonly criteria: readonly StoredCriterion[]
}

async function plan(deps: CascadeCalibrationDeps, { run, cascade, criteria }: Step): ReturnType<RunHandler> {
  const last = criteria.at(-1)
  if (last === undefined) return { kind: 'failed', error: 'The cascade has no judge.' }
  const grades = await deps.grades.inForce(last, run.createdAt)
  const missing = await deps.grades.unanswered(last, run.createdAt)
  const selection = selectItemsInSteps(grades, everyKnownDraw, missing)
  const { items: selected, unanswered, ...counts } = await deps.slicedWork.run(selection)
  const tuned = await Promise.all(criteria.map((criterion) => tunedItems(deps, criterion)))
  const items = selected.filter(({ itemKey }) => !tuned.some((keys) => keys.has(itemKey)))
  if (items.length === 0) return { kind: 'failed', error: 'There is no graded item to judge.' }
  const judgements = items.flatMap((item) =>
    criteria.flatMap((criterion, index) => {
      const planned = planGraded({ id: run.id, criterion, source: 'cascade', judgePrompt: null, run, item })
      const member = cascade.members[index] ?? { verdicts: 1 }
      return planVerdicts({ run, criterion, member, itemKey: item.itemKey, item: planned })
    }),
  )
  // Two that run at once may both count as the later.
  const ordinal = await deps.cascades.countAttempt(run)
  const result: CascadeCalibrationResult = {
    members: freezeMembers(cascade, criteria),
    graded: items.length,
    leftOut: counts.ties + counts.leftOut + counts.incomplete + (selected.length - items.length),
    unanswered,
    ordinal,
    errorProbability: errorProbabilityOf(cascade.confidence, ordinal),
    proven: null,
    accuracy: null,
    lastNanoPerItem: null,
  }
  return { kind: 'wait', rowsTotal: judgements.length, result, judgements }
}

async function conclude(deps: CascadeCalibrationDeps, { run, cascade, criteria }: Step): ReturnType<RunHandler> {
  const planned = run.result as CascadeCalibrationResult
  const changed = whyVoid(planned.members, criteria)
  if (changed !== null) return { kind: 'failed', error: changed, result: planned }
  const judged = await Array.fromAsync(deps.judgements.ofRun(run.id))
  const unjudged = unjudgedRows(judged, await deps.calibrations.deadLetterReasons(run.id))
  if (unjudged !== null) return { kind: 'failed', error: unjudged, result: planned }
  const unanswered = (planned.unanswered ?? []).map((weight): CascadeRow => ({ ...weight, human: null, votes: [] }))
  const rows = [...cascadeRows(judged, cascade), ...unanswered]
  const nanoPerVerdict = cascade.members.map(({ criterionId }) => meanCost(judged, criterionId))
  const proven = chooseThresholds(rows, {
    verdictCounts: cascade.members.map(({ verdicts }) => verdicts),
    agreement: cascade.agreement,
    errorProbability: planned.errorProbability,
    nanoPerVerdict,
    seed: run.id,
  })
  const known = proven === null ? null : accuracyOf(rows, proven, run.id)
  const result: CascadeCalibrationResult = {
    ...planned,
    proven,
    accuracy: known?.withUnanswered ?? null,
    ...(known === null || known.answered === known.withUnanswered ? {} : { answered: known.answered }),
    lastNanoPerItem: nanoPerVerdict.at(-1) ?? null,
  }
  return { kind: 'done', result }
}

/** Judgements of a calibration by item. */
function cascadeRows(judged: readonly DoneJudgement[], { members }: StoredCascade): readonly CascadeRow[] {
  return [...Map.groupBy(judged, ({ labelId }) => labelId).values()].flatMap((ofItem): readonly CascadeRow[] => {
    const [{ human, samplingProbability, stratum } = { human: null, samplingProbability: 1, stratum: null }] = ofItem
    if (human === null) return []
    const votes = members.map(({ criterionId: id }) =>
      countVotes(ofItem.filter(({ criterionId }) => criterionId === id).map(({ verdict }) => verdict)),
    )
    return [{ human, votes, samplingProbability, stratum }]
  })
}

function meanCost(judged: readonly DoneJudgement[], id: string): number {
  const own = judged.filter(({ criterionId }) => criterionId === id)
  return own.length === 0 ? 0 : Number(own.reduce((sum, { costNano }) => sum + costNano, 0n)) / own.length
}

/** Unanswered items count as decided wrongly. */
function accuracyOf(rows: readonly CascadeRow[], { thresholds }: ProvenThresholds, seed: string): KnownAccuracy | null {
  const decided = rows.flatMap(({ human, votes, samplingProbability, stratum }): readonly MeasuredRow[] => {
    if (human === null) return [unansweredRow({ samplingProbability, stratum: neutral(stratum) ?? randomStratum })]
    const decision = decideItem(votes, thresholds)
    if (decision === null) return []
    return [{ human, verdict: decision.verdict, samplingProbability, stratum: neutral(stratum) }]
  })
  return knownAccuracy(measureJudge(decided, seed))
}

/** Strata by the verdict of the last judge say nothing certain about what the cascade decides. */
function neutral(stratum: string | null): string | null {
  const draw = drawOf(stratum)
  if (stratum === null || draw === stratum || draw === '') return stratum
  return stratumKey(draw, `graded_${stratum.slice(draw.length + 1)}`)
}

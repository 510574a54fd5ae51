import { dayMs, hourMs } from '@ratchet/service-kit/timing/durations'
import { promptSha256 } from '../criteria/instrument.ts'
import type { NewRun, RunStore } from '../runs/judge-run.ts'
import { checkDrift, type DriftFinding } from './check-drift.ts'
import { driftNotice } from './drift-notice.ts'
import type { DriftReplay } from './drift-replay-run.ts'
import type { DriftRule } from './drift-rule.ts'
import type { DriftStore, ExaminedCriterion, JudgedPanel } from './drift-store.ts'
import { utcDay } from './find-rise.ts'
import { baselineOf, panelOf } from './panel.ts'
import { validatedJudge } from './validated-judge.ts'

export interface SweepDriftDeps {
  readonly drift: DriftStore
  readonly runs: Pick<RunStore, 'create'>
  readonly rule: DriftRule
  readonly now: () => Date
  readonly newId: () => string
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
  readonly onFailure: (criterionId: string, cause: unknown) => void
}

/** A day is complete an hour after its end: clocks differ, and a verdict is stored a little after it was given. */
const completeAfterMs = hourMs
const usedForMs = 7 * dayMs
/** The evidence policy of aliases accepts no older eval. */
const evalsAreEvidenceMs = 30 * dayMs

/**
 * Checks every judge in use for drift. Once a day it judges rows of the panel again; after a drop it judges more rows of the
 * calibration, to find out whether the judge changed or the traffic.
 */
export async function sweepDrift(deps: SweepDriftDeps): Promise<void> {
  for (const examined of await deps.drift.examined()) {
    try {
      await examine(deps, examined)
    } catch (cause) {
      deps.onFailure(examined.id, cause)
    }
  }
}

async function examine(deps: SweepDriftDeps, examined: ExaminedCriterion): Promise<void> {
  const { drift, rule, now } = deps
  const at = now()
  const today = utcDay(new Date(at.getTime() - completeAfterMs))
  await drift.recordDays(examined, today)
  const rows = await drift.calibrationRows(examined.calibrationId)
  const [usedSince, evalsSince] = [usedForMs, evalsAreEvidenceMs].map((age) => new Date(at.getTime() - age)) as [
    Date,
    Date,
  ]
  const judged = await drift.panel(examined, { today, usedSince, evalsSince })
  const baseline = baselineOf(panelOf(rows))
  const finding = checkDrift({
    criterion: examined,
    validated: validatedJudge(examined, rows),
    live: await drift.live(examined),
    panel: {
      fail: { baseline: baseline.fail, days: judged.days.fail },
      pass: { baseline: baseline.pass, days: judged.days.pass },
    },
    rule,
    at,
    today,
  })
  await drift.save(examined, { finding, notice: driftNotice(examined, finding, at), at })
  const replay = replayAfter(examined, { finding, judged, today })
  if (replay !== null) await start(deps, examined, { request: replay, createdAt: at })
}

interface Swept {
  readonly finding: DriftFinding
  readonly judged: JudgedPanel
  readonly today: number
}

/** The rows that are due to be judged again; null for none. */
function replayAfter(
  { calibrationId, alignedAt }: ExaminedCriterion,
  { finding, judged, today }: Swept,
): DriftReplay | null {
  const { signal, cause, drop } = finding
  if (drop !== null) return { calibrationId, rows: 'drop', drop }
  const isDue = utcDay(judged.lastAt ?? alignedAt) < today
  // A move relies on evals of an old judge as long as it has not changed.
  const isNeeded = signal === 'stale' ? cause === null && judged.isOfEvals : judged.isJudgeUsed
  if (!isNeeded || !isDue || judged.isOpen || judged.isOverCap) return null
  return { calibrationId, rows: 'panel' }
}

async function start(
  { runs, newId, enqueueRuns }: SweepDriftDeps,
  examined: ExaminedCriterion,
  { request, createdAt }: Pick<NewRun, 'createdAt'> & { readonly request: DriftReplay },
): Promise<void> {
  const run = await runs.create({
    id: newId(),
    workspaceId: examined.workspaceId,
    criterionId: examined.id,
    kind: 'drift_replay',
    instrument: examined.instrument,
    judgeModel: examined.judgeModel,
    promptSha256: promptSha256(examined.judgePrompt),
    request,
    maxCostNano: null,
    createdBy: examined.createdBy,
    createdAt,
  })
  await enqueueRuns([run.id])
}

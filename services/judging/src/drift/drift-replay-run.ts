import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { DoneJudgement, JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import type { RunHandler } from '../runs/advance-run.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import type { DriftStore } from './drift-store.ts'
import { describeReplay, replayFinding } from './replay-finding.ts'

export interface DriftReplayDeps {
  readonly drift: Pick<DriftStore, 'calibrationRows' | 'explain'>
  readonly judgements: Pick<JudgementStore, 'ofRun'>
  readonly now: () => Date
}

/** Enough rows to find a relevant change, at a fraction of the price of a calibration. */
const maxRows = 100

/** Judges rows of the calibration again, then adds the cause of the drop to the reason of the flag. */
export function createDriftReplayRunHandler({ drift, judgements, now }: DriftReplayDeps): RunHandler {
  return async (run) => {
    const { calibrationId } = run.request as { readonly calibrationId: string }
    const before = await drift.calibrationRows(calibrationId)
    if (run.rowsTotal === null) {
      const planned = before.slice(0, maxRows).map((row) => planReplayOf(row, run, now()))
      return { kind: 'wait', rowsTotal: planned.length, judgements: planned }
    }
    const replayed = await Array.fromAsync(judgements.ofRun(run.id))
    const finding = replayFinding(new Map(before.map((row) => [row.labelId ?? row.id, row])), replayed)
    if (run.criterionId !== null) {
      await drift.explain({ id: run.criterionId, instrument: run.instrument }, describeReplay(finding))
    }
    return { kind: 'done', result: finding }
  }
}

function planReplayOf(row: DoneJudgement, run: LeasedRun, createdAt: Date): PlannedJudgement {
  return {
    id: deterministicId('drift_replay', run.id, row.id),
    workspaceId: row.workspaceId,
    criterionId: row.criterionId,
    runId: run.id,
    source: 'drift_replay',
    instrument: row.instrument,
    judgePrompt: null,
    judgedResponse: null,
    item: row.item,
    labelId: row.labelId,
    human: row.human,
    samplingProbability: row.samplingProbability,
    stratum: row.stratum,
    segment: row.segment,
    tag: row.tag,
    isCanary: false,
    itemAt: row.itemAt,
    expiresAt: null,
    createdAt,
  }
}

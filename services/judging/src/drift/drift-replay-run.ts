import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { DoneJudgement, JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import type { RunHandler } from '../runs/advance-run.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import type { DriftStore } from './drift-store.ts'
import { utcDay } from './find-rise.ts'
import { panelOf, rowsOfDay, rowsOfDrop } from './panel.ts'
import { describeReplay, type ReplayedDrop, replayFinding } from './replay-finding.ts'

export interface DriftReplayDeps {
  readonly drift: Pick<DriftStore, 'calibrationRows' | 'explain'>
  readonly judgements: Pick<JudgementStore, 'ofRun'>
  readonly now: () => Date
}

/** What the request of a run stores. */
export interface DriftReplay {
  readonly calibrationId: string
  /** `panel`: the rows of the day. `drop`: rows that show the cause of a drop; absent in runs of an older release. */
  readonly rows?: 'panel' | 'drop'
  readonly drop?: ReplayedDrop
}

/**
 * Judges rows of a calibration again. Verdicts on rows of the panel are read by the next sweep; those after a drop add its
 * cause to the flag.
 */
export function createDriftReplayRunHandler({ drift, judgements, now }: DriftReplayDeps): RunHandler {
  return async (run) => {
    const replay = run.request as DriftReplay
    const before = await drift.calibrationRows(replay.calibrationId)
    if (run.rowsTotal === null) {
      const planned = chooseRows(before, run, replay).map((row) => planReplayOf(row, run, now()))
      return { kind: 'wait', rowsTotal: planned.length, judgements: planned }
    }
    const replayed = await Array.fromAsync(judgements.ofRun(run.id))
    const byLabel = new Map(before.map((row) => [row.labelId ?? row.id, row]))
    const finding = replayFinding(byLabel, replayed, replay.drop ?? null)
    if (run.criterionId !== null && replay.rows !== 'panel') {
      const { cause } = finding
      const explained = { cause, sentence: describeReplay(finding) }
      await drift.explain({ id: run.criterionId, instrument: run.instrument }, explained)
    }
    return { kind: 'done', result: finding }
  }
}

function chooseRows(rows: readonly DoneJudgement[], run: LeasedRun, replay: DriftReplay): readonly DoneJudgement[] {
  return replay.rows === 'panel' ? rowsOfDay(panelOf(rows), utcDay(run.createdAt)) : rowsOfDrop(rows)
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

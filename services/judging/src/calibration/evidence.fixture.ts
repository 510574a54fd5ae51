import { randomUUID } from 'node:crypto'
import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import type { JudgingApp } from '../judging-app.fixture.ts'
import { plannedResult } from './calibration-result.ts'
import { measureJudge } from './measure-judge.ts'
import { confusionRows } from './rows.fixture.ts'

interface ReportedCalibration {
  readonly criterionId: string
  readonly confusion?: ConfusionCounts
  readonly workspaceId?: string
}

/** Inserts a finished calibration, of a good judge by default. Returns its id. */
export async function addCalibration(app: JudgingApp, reported: ReportedCalibration): Promise<string> {
  const { criterionId, confusion = { tp: 40, fn: 0, fp: 1, tn: 99 }, workspaceId = app.workspaceId } = reported
  const id = randomUUID()
  const result = { ...plannedResult(), measures: measureJudge(confusionRows(confusion)), looks: 1 }
  await app.operator.query(
    `INSERT INTO judge_run (id, workspace_id, criterion_id, kind, status, instrument, judge_model, prompt_sha256, request,
       result, rows_total, created_by, created_at, finished_at)
     SELECT $1, $2, id, 'calibration', 'DONE', instrument, judge_model, 'x', '{}', $4, $5, created_by, $6, $6
     FROM criterion WHERE id = $3`,
    [id, workspaceId, criterionId, JSON.stringify(result), 140, app.clock.now()],
  )
  return id
}

interface ReportedJudgement {
  readonly criterionId: string
  readonly at: Date
  readonly costNano: number
  readonly source: string
  /** Why there is no verdict; null for PASS. */
  readonly failure?: string | null
}

/** Inserts a finished judgement of a log entry. */
export async function addOnlineJudgement(app: JudgingApp, reported: ReportedJudgement): Promise<void> {
  await app.operator.query(
    `INSERT INTO judgement (id, workspace_id, criterion_id, source, instrument, log_id, created_at, state, verdict,
       failure, cost_nano, judged_at)
     VALUES ($1, $2, $3, $4, 1, $5, $6, 'done', $8::verdict, $9, $7, $6)`,
    [
      randomUUID(),
      app.workspaceId,
      reported.criterionId,
      reported.source,
      randomUUID(),
      reported.at,
      reported.costNano,
      reported.failure == null ? 'pass' : null,
      reported.failure ?? null,
    ],
  )
}

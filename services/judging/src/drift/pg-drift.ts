import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { calibrationResultOf } from '../calibration/calibration-result.ts'
import { judgeAccuracy } from '../calibration/judge-accuracy.ts'
import { doneOf, type JudgementRow, judgementColumns } from '../judgements/pg-judgement-row.ts'
import type { JudgingNotice } from '../notices/notice.ts'
import type { DriftCause } from './check-drift.ts'
import type { DriftStore, ExaminedCriterion } from './drift-store.ts'
import { readLive, readPanel, recordDays } from './pg-drift-counts.ts'

export function createPgDrift(pool: Pool): DriftStore {
  return {
    async examined() {
      const { rows } = await pool.query<ExaminedRow>(examinedStatement)
      return rows.map(examinedOf)
    },
    recordDays: (examined, today) => recordDays(pool, examined, today),
    live: (examined) => readLive(pool, examined),
    panel: (examined, at) => readPanel(pool, examined, at),
    async calibrationRows(calibrationId) {
      const text = `SELECT ${judgementColumns} FROM judgement
        WHERE run_id = $1 AND source = 'calibration' AND state = 'done' AND verdict IS NOT NULL ORDER BY id`
      const { rows } = await pool.query<JudgementRow>(text, [calibrationId])
      return rows.map(doneOf)
    },
    async save({ id, instrument, calibrationId }, { finding, notice, at }) {
      const { signal, reason, cause, clearSweeps, referenceFrom, referenceUntil, flaggedAt } = finding
      const values = [id, instrument, signal, reason, cause, clearSweeps, at, calibrationId]
      const state = [referenceFrom, referenceUntil, flaggedAt]
      await pool.query(saveStatement, [...values, ...state, ...noticeValues(notice)])
    },
    async explain({ id, instrument }, { cause, sentence }) {
      // A step of a run may be repeated.
      const text = `UPDATE criterion SET drift_cause = $4, drift_reason = drift_reason || ' ' || $3
        WHERE id = $1 AND instrument = $2 AND drift_signal = 'quality_drop' AND position($3 IN drift_reason) = 0`
      await pool.query(text, [id, instrument, sentence, cause])
    },
  }
}

/** The reason of such a drop may have its cause by now, which this sweep has not read. */
const isStillDropped = `c.drift_signal = 'quality_drop' AND $3::drift_signal = 'quality_drop'`

const saveStatement = `
  WITH saved AS (
    UPDATE criterion c SET drift_signal = $3::drift_signal, drift_clear_sweeps = $6, drift_checked_at = $7,
      drift_reason = CASE WHEN ${isStillDropped} THEN c.drift_reason ELSE $4 END,
      drift_cause = CASE WHEN ${isStillDropped} THEN c.drift_cause ELSE $5::drift_cause END,
      drift_reference_from = $9, drift_reference_until = $10, drift_flagged_at = $11
    WHERE c.id = $1 AND c.instrument = $2 AND NOT EXISTS (
      SELECT 1 FROM judge_run later JOIN judge_run seen ON seen.id = $8
      WHERE later.criterion_id = c.id AND later.kind = 'calibration' AND later.status = 'DONE'
        AND later.instrument = c.instrument AND (later.created_at, later.id) > (seen.created_at, seen.id))
    RETURNING c.workspace_id
  )
  INSERT INTO judging_notice (id, workspace_id, type, data, created_at)
  SELECT $12::uuid, workspace_id, $13::text, $14::text, $15::timestamptz FROM saved WHERE $12::uuid IS NOT NULL
  ON CONFLICT DO NOTHING`

function noticeValues(notice: JudgingNotice | null): readonly unknown[] {
  if (notice === null) return [null, null, null, null]
  return [notice.id, notice.type, JSON.stringify(notice.data), notice.createdAt]
}

interface ExaminedRow
  extends Pick<
    Row<'criterion', { drift_signal: ExaminedCriterion['driftSignal']; drift_cause: DriftCause | null }>,
    | 'id'
    | 'workspace_id'
    | 'name'
    | 'judge_model'
    | 'judge_prompt'
    | 'instrument'
    | 'drift_signal'
    | 'drift_reason'
    | 'drift_cause'
    | 'drift_clear_sweeps'
    | 'drift_checked_at'
    | 'drift_reference_from'
    | 'drift_reference_until'
    | 'drift_flagged_at'
    | 'created_by'
  > {
  readonly calibration_id: string
  readonly aligned_at: Date
  readonly result: string | null
}

const examinedStatement = `
  SELECT DISTINCT ON (c.id) c.*, r.id AS calibration_id, r.finished_at AS aligned_at, r.result
  FROM criterion c JOIN judge_run r
    ON r.criterion_id = c.id AND r.instrument = c.instrument AND r.kind = 'calibration' AND r.status = 'DONE'
  WHERE c.status = 'draft'
  ORDER BY c.id, r.created_at DESC, r.id DESC`

function examinedOf(row: ExaminedRow): ExaminedCriterion {
  const measures = row.result === null ? null : calibrationResultOf({ result: JSON.parse(row.result) })?.measures
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    judgeModel: row.judge_model,
    judgePrompt: row.judge_prompt,
    instrument: row.instrument,
    driftSignal: row.drift_signal,
    driftReason: row.drift_reason,
    driftCause: row.drift_cause,
    driftClearSweeps: row.drift_clear_sweeps,
    driftCheckedAt: row.drift_checked_at,
    referenceFrom: row.drift_reference_from,
    referenceUntil: row.drift_reference_until,
    flaggedAt: row.drift_flagged_at,
    createdBy: row.created_by,
    calibrationId: row.calibration_id,
    alignedAt: row.aligned_at,
    accuracy: measures === undefined || measures === null ? null : judgeAccuracy(measures),
  }
}

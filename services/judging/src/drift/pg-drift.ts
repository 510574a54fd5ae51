import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { doneOf, type JudgementRow, judgementColumns } from '../judgements/pg-judgement-row.ts'
import type { JudgingNotice } from '../notices/notice.ts'
import type { LiveTraffic } from './check-drift.ts'
import type { DriftStore, ExaminedCriterion } from './drift-store.ts'
import { validatedJudge } from './validated-judge.ts'

export function createPgDrift(pool: Pool): DriftStore {
  const calibrationRows = async (calibrationId: string) => {
    const text = `SELECT ${judgementColumns} FROM judgement
      WHERE run_id = $1 AND state = 'done' AND verdict IS NOT NULL ORDER BY id`
    const { rows } = await pool.query<JudgementRow>(text, [calibrationId])
    return rows.map(doneOf)
  }
  return {
    async examined() {
      const { rows } = await pool.query<ExaminedRow>(examinedStatement)
      return rows.map(examinedOf)
    },
    async validated({ calibrationId, alignedAt }) {
      return validatedJudge(await calibrationRows(calibrationId), alignedAt)
    },
    async live({ id, instrument }, since) {
      const { rows } = await pool.query<LiveTraffic>(liveStatement, [id, instrument, since])
      return rows[0] ?? { judged: 0, judgedFails: 0, judgeModel: null, fingerprint: null }
    },
    calibrationRows,
    async save({ id, instrument, calibrationId }, { finding, notice, at }) {
      const { signal, reason, clearSweeps } = finding
      const values = [id, instrument, signal, reason, clearSweeps, at, calibrationId]
      await pool.query(saveStatement, [...values, ...noticeValues(notice)])
    },
    async explain({ id, instrument }, addition) {
      const text = `UPDATE criterion SET drift_reason = drift_reason || ' ' || $3
        WHERE id = $1 AND instrument = $2 AND drift_signal = 'quality_drop'`
      await pool.query(text, [id, instrument, addition])
    },
  }
}

const saveStatement = `
  WITH saved AS (
    UPDATE criterion c SET drift_signal = $3, drift_reason = $4, drift_clear_sweeps = $5, drift_checked_at = $6
    WHERE c.id = $1 AND c.instrument = $2 AND NOT EXISTS (
      SELECT 1 FROM judge_run later JOIN judge_run seen ON seen.id = $7
      WHERE later.criterion_id = c.id AND later.kind = 'calibration' AND later.status = 'DONE'
        AND later.instrument = c.instrument AND (later.created_at, later.id) > (seen.created_at, seen.id))
    RETURNING c.workspace_id
  )
  INSERT INTO judging_notice (id, workspace_id, type, data, created_at)
  SELECT $8::uuid, workspace_id, $9::text, $10::text, $11::timestamptz FROM saved WHERE $8::uuid IS NOT NULL
  ON CONFLICT DO NOTHING`

function noticeValues(notice: JudgingNotice | null): readonly unknown[] {
  if (notice === null) return [null, null, null, null]
  return [notice.id, notice.type, JSON.stringify(notice.data), notice.createdAt]
}

interface ExaminedRow
  extends Pick<
    Row<'criterion', { drift_signal: ExaminedCriterion['driftSignal'] }>,
    | 'id'
    | 'workspace_id'
    | 'name'
    | 'judge_model'
    | 'judge_prompt'
    | 'instrument'
    | 'drift_signal'
    | 'drift_reason'
    | 'drift_clear_sweeps'
    | 'drift_checked_at'
    | 'created_by'
  > {
  readonly calibration_id: string
  readonly aligned_at: Date
}

const examinedStatement = `
  SELECT DISTINCT ON (c.id) c.*, r.id AS calibration_id, r.finished_at AS aligned_at
  FROM criterion c JOIN judge_run r
    ON r.criterion_id = c.id AND r.instrument = c.instrument AND r.kind = 'calibration' AND r.status = 'DONE'
  WHERE c.status = 'draft'
  ORDER BY c.id, r.created_at DESC, r.id DESC`

function examinedOf(row: ExaminedRow): ExaminedCriterion {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    judgeModel: row.judge_model,
    judgePrompt: row.judge_prompt,
    instrument: row.instrument,
    driftSignal: row.drift_signal,
    driftReason: row.drift_reason,
    driftClearSweeps: row.drift_clear_sweeps,
    driftCheckedAt: row.drift_checked_at,
    createdBy: row.created_by,
    calibrationId: row.calibration_id,
    alignedAt: row.aligned_at,
  }
}

/**
 * The rate excludes answers of canaries: a bad canary must not flag its judge. Model and fingerprint are those of the
 * latest verdict of any kind.
 */
const liveStatement = `
  SELECT (count(*) FILTER (WHERE NOT canary))::int AS judged,
    (count(*) FILTER (WHERE NOT canary AND verdict = 'fail'))::int AS "judgedFails",
    (array_agg(judge_model_resolved ORDER BY judged_at DESC))[1] AS "judgeModel",
    (array_agg(judge_fingerprint ORDER BY judged_at DESC))[1] AS fingerprint
  FROM judgement
  WHERE criterion_id = $1 AND instrument = $2 AND source = 'online' AND state = 'done' AND verdict IS NOT NULL
    AND judged_at >= $3`

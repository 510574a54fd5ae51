import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { JudgeRun, RunStatus } from '../runs/judge-run.ts'
import type { StoredCascade } from './cascade.ts'

export interface CascadeKey {
  readonly workspaceId: string
  readonly id: string
}

export interface CascadePage {
  readonly workspaceId: string
  readonly limit: number
  readonly offset: number
}

export type CascadeStore = ReturnType<typeof createPgCascades>

export function createPgCascades(pool: Pool) {
  return {
    async create(cascade: StoredCascade): Promise<void> {
      await pool.query(createStatement, createValues(cascade))
    },
    async get({ workspaceId, id }: CascadeKey): Promise<StoredCascade | null> {
      const text = 'SELECT * FROM cascade WHERE workspace_id = $1 AND id = $2'
      const { rows } = await pool.query<CascadeRow>(text, [workspaceId, id])
      return rows[0] === undefined ? null : cascadeOf(rows[0])
    },
    /** Newest first. */
    async list({ workspaceId, limit, offset }: CascadePage) {
      const text = 'SELECT * FROM cascade WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3'
      const { rows } = await pool.query<CascadeRow>(text, [workspaceId, limit, offset])
      const count = 'SELECT count(*)::int AS total FROM cascade WHERE workspace_id = $1'
      const counted = await pool.query<{ total: number }>(count, [workspaceId])
      return { total: counted.rows[0]?.total ?? 0, cascades: rows.map(cascadeOf) }
    },
    async delete({ workspaceId, id }: CascadeKey): Promise<boolean> {
      const text = 'DELETE FROM cascade WHERE workspace_id = $1 AND id = $2'
      const { rowCount } = await pool.query(text, [workspaceId, id])
      return rowCount === 1
    },
    /**
     * Records a calibration that may show a result. Returns how many of the workspace have shown one, or may, with this one:
     * whichever judges and cascades were created, changed or deleted in between.
     */
    async countAttempt({ workspaceId, id, createdAt }: Pick<JudgeRun, 'workspaceId' | 'id' | 'createdAt'>) {
      await pool.query(attemptStatement, [id, workspaceId, createdAt])
      const { rows } = await pool.query<{ attempts: number }>(attemptsStatement, [workspaceId])
      return rows[0]?.attempts ?? 1
    },
    /** Ids of the calibrations with one of the states, newest first. */
    async calibrationIds(cascade: StoredCascade, states: readonly RunStatus[]) {
      const values = [cascade.workspaceId, cascade.members.at(-1)?.criterionId, cascade.id, states]
      const { rows } = await pool.query<Pick<JudgeRun, 'id'>>(calibrationsStatement, values)
      return rows.map(({ id }) => id)
    },
  }
}

type CascadeRow = Row<'cascade'>

function cascadeOf(row: CascadeRow): StoredCascade {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    members: row.criterion_ids.map((criterionId, index) => ({
      criterionId,
      verdicts: row.verdict_counts[index] ?? 1,
    })),
    agreement: row.agreement,
    confidence: row.confidence,
    createdBy: row.created_by,
    createdAt: row.created_at,
  }
}

const createStatement = `
  INSERT INTO cascade (id, workspace_id, name, criterion_ids, verdict_counts, agreement, confidence, created_by, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

function createValues(cascade: StoredCascade): unknown[] {
  return [
    cascade.id,
    cascade.workspaceId,
    cascade.name,
    cascade.members.map(({ criterionId }) => criterionId),
    cascade.members.map(({ verdicts }) => verdicts),
    cascade.agreement,
    cascade.confidence,
    cascade.createdBy,
    cascade.createdAt,
  ]
}

const attemptStatement = `
  INSERT INTO cascade_attempt (run_id, workspace_id, planned_at) VALUES ($1, $2, $3) ON CONFLICT (run_id) DO NOTHING`

/**
 * Runs of a deleted judge are deleted with it; whether they failed is not known then, so they count. A worker of the release
 * before notes no attempt: what it has shown counts by its run.
 */
const attemptsStatement = `
  SELECT (
    SELECT count(*) FROM cascade_attempt a
      LEFT JOIN judge_run r ON r.id = a.run_id AND r.workspace_id = $1
    WHERE a.workspace_id = $1 AND r.status IS DISTINCT FROM 'FAILED'
  )::int + (
    SELECT count(*) FROM judge_run r
    WHERE r.workspace_id = $1 AND r.kind = 'cascade_calibration' AND r.status = 'DONE'
      AND NOT EXISTS (SELECT FROM cascade_attempt a WHERE a.run_id = r.id AND a.workspace_id = $1)
  )::int AS attempts`

const calibrationsStatement = `
  SELECT id FROM judge_run
  WHERE workspace_id = $1 AND criterion_id = $2 AND kind = 'cascade_calibration'
    AND request::jsonb->>'cascadeId' = $3::text AND status::text = ANY($4)
  ORDER BY created_at DESC, id DESC`

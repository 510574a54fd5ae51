import type { Pool } from '@ratchet/db/connect-pool'
import type { JudgeRun, LeasedRun, NewRun, RunFilter, RunKind, RunStatus, RunStep, RunStore } from './judge-run.ts'

/** Runs in Postgres. Leases run on the database's clock. */
export function createPgRuns(pool: Pool): RunStore {
  return {
    async create(run) {
      const { rows } = await pool.query<RunRow>(createStatement, createValues(run))
      return runOf(onlyRow(rows))
    },
    async get({ workspaceId, id, kind }) {
      const text = 'SELECT * FROM judge_run WHERE workspace_id = $1 AND id = $2 AND kind = $3'
      const { rows } = await pool.query<RunRow>(text, [workspaceId, id, kind])
      return rows[0] === undefined ? null : runOf(rows[0])
    },
    list: (filter) => list(pool, filter),
    async lease(id, leaseMs) {
      const { rows } = await pool.query<LeasedRow>(leaseStatement, [id, leaseMs])
      return rows[0] === undefined ? null : leasedOf(rows[0])
    },
    async renew({ id, generation }, leaseMs) {
      const text = `UPDATE judge_run SET leased_until = now() + $3 * interval '1 millisecond'
        WHERE id = $1 AND generation = $2 AND status IN ('PENDING', 'RUNNING')`
      await pool.query(text, [id, generation, leaseMs])
    },
    advance: (run, step, at) => advance(pool, { run, step, at }),
    async release({ id, generation }, delayMs) {
      const text = `UPDATE judge_run SET leased_until = now() + $3 * interval '1 millisecond'
        WHERE id = $1 AND generation = $2`
      await pool.query(text, [id, generation, delayMs])
    },
    async ready(limit) {
      const { rows } = await pool.query<{ id: string }>(readyStatement, [limit])
      return rows.map(({ id }) => id)
    },
  }
}

interface RunRow {
  readonly id: string
  readonly workspace_id: string
  readonly criterion_id: string | null
  readonly kind: RunKind
  readonly status: RunStatus
  readonly instrument: number
  readonly judge_model: string
  readonly prompt_sha256: string
  readonly request: string
  readonly result: string | null
  readonly error: string | null
  readonly rows_total: number | null
  readonly max_cost_nano: string | null
  readonly created_by: string
  readonly created_at: Date
  readonly finished_at: Date | null
  readonly voided_at: Date | null
  readonly void_reason: string | null
}

interface LeasedRow extends RunRow {
  readonly generation: number
  readonly attempts: number
}

function runOf(row: RunRow): JudgeRun {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    criterionId: row.criterion_id,
    kind: row.kind,
    status: row.status,
    instrument: row.instrument,
    judgeModel: row.judge_model,
    promptSha256: row.prompt_sha256,
    request: JSON.parse(row.request),
    result: row.result === null ? null : JSON.parse(row.result),
    error: row.error,
    rowsTotal: row.rows_total,
    maxCostNano: row.max_cost_nano === null ? null : BigInt(row.max_cost_nano),
    createdBy: row.created_by,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    voidedAt: row.voided_at,
    voidReason: row.void_reason,
  }
}

function leasedOf(row: LeasedRow): LeasedRun {
  return { ...runOf(row), generation: row.generation, attempts: row.attempts }
}

function onlyRow<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined) throw new Error('the statement gave no row')
  return row
}

const createStatement = `
  INSERT INTO judge_run (id, workspace_id, criterion_id, kind, instrument, judge_model, prompt_sha256, request,
    max_cost_nano, created_by, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING *`

function createValues(run: NewRun): unknown[] {
  return [
    run.id,
    run.workspaceId,
    run.criterionId,
    run.kind,
    run.instrument,
    run.judgeModel,
    run.promptSha256,
    JSON.stringify(run.request),
    run.maxCostNano === null ? null : String(run.maxCostNano),
    run.createdBy,
    run.createdAt,
  ]
}

async function list(pool: Pool, { workspaceId, criterionId, kind, limit, offset }: RunFilter) {
  const where = 'workspace_id = $1 AND criterion_id = $2 AND kind = $3'
  const key = [workspaceId, criterionId, kind]
  const counted = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM judge_run WHERE ${where}`,
    key,
  )
  const page = `SELECT * FROM judge_run WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5`
  const { rows } = await pool.query<RunRow>(page, [...key, limit, offset])
  return { total: counted.rows[0]?.total ?? 0, runs: rows.map(runOf) }
}

const leaseStatement = `
  UPDATE judge_run SET generation = generation + 1, attempts = attempts + 1,
    leased_until = now() + $2 * interval '1 millisecond'
  WHERE id = $1 AND status IN ('PENDING', 'RUNNING') AND (leased_until IS NULL OR leased_until <= now())
  RETURNING *`

interface Advance {
  readonly run: Pick<LeasedRun, 'id' | 'generation'>
  readonly step: RunStep
  readonly at: Date
}

async function advance(pool: Pool, { run, step, at }: Advance): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE judge_run SET status = $3, result = coalesce($4, result), error = $5, rows_total = coalesce($6, rows_total),
       finished_at = $7, leased_until = NULL, attempts = 0
     WHERE id = $1 AND generation = $2 AND status IN ('PENDING', 'RUNNING')`,
    [
      run.id,
      run.generation,
      statusOf(step),
      step.result === undefined ? null : JSON.stringify(step.result),
      step.kind === 'failed' ? step.error : null,
      step.kind === 'wait' ? step.rowsTotal : null,
      step.kind === 'wait' ? null : at,
    ],
  )
  return rowCount === 1
}

function statusOf({ kind }: RunStep): RunStatus {
  if (kind === 'wait') return 'RUNNING'
  return kind === 'done' ? 'DONE' : 'FAILED'
}

const readyStatement = `
  SELECT r.id FROM judge_run r
  WHERE r.status IN ('PENDING', 'RUNNING') AND (r.leased_until IS NULL OR r.leased_until <= now())
    AND NOT EXISTS (SELECT 1 FROM judgement j WHERE j.run_id = r.id AND j.state IN ('pending', 'leased'))
  ORDER BY r.created_at LIMIT $1`

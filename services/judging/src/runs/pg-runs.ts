import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { createPgRunLeases } from '@ratchet/work-kit/leases/pg-run-leases'
import type { JudgeRun, LeasedRun, NewRun, RunFilter, RunStatus, RunStep, RunStore } from './judge-run.ts'

export function createPgRuns(pool: Pool): RunStore {
  const leases = createPgRunLeases<RunRow, LeasedRun>(
    pool,
    {
      table: 'judge_run',
      open: `r.status IN ('PENDING', 'RUNNING')`,
      ready: `NOT EXISTS (SELECT 1 FROM judgement j WHERE j.run_id = r.id AND j.state IN ('pending', 'leased'))`,
    },
    leasedOf,
  )
  return {
    ...leases,
    create: (run) => insertRun(pool, run),
    async get({ workspaceId, id, kind }) {
      const text = 'SELECT * FROM judge_run WHERE workspace_id = $1 AND id = $2 AND kind = $3'
      const { rows } = await pool.query<RunRow>(text, [workspaceId, id, kind])
      return rows[0] === undefined ? null : runOf(rows[0])
    },
    list: (filter) => list(pool, filter),
    advance: (run, step, at) => advance(pool, { run, step, at }),
  }
}

export type RunRow = Row<'judgeRun'>

export function runOf(row: RunRow): JudgeRun {
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

function leasedOf(row: RunRow): LeasedRun {
  return { ...runOf(row), generation: row.generation, attempts: row.attempts }
}

function onlyRow<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}

/** Adds a run, in the transaction of the connection if there is one. */
export async function insertRun(connection: Pick<Pool, 'query'>, run: NewRun): Promise<JudgeRun> {
  const { rows } = await connection.query<RunRow>(createStatement, createValues(run))
  return runOf(onlyRow(rows))
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
  const ofJudge = criterionId === null ? 'criterion_id IS NULL AND $2::uuid IS NULL' : 'criterion_id = $2'
  const where = `workspace_id = $1 AND ${ofJudge} AND kind = $3`
  const key = [workspaceId, criterionId, kind]
  const counted = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM judge_run WHERE ${where}`,
    key,
  )
  const page = `SELECT * FROM judge_run WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5`
  const { rows } = await pool.query<RunRow>(page, [...key, limit, offset])
  return { total: counted.rows[0]?.total ?? 0, runs: rows.map(runOf) }
}

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

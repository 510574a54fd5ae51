import type { EvalReport } from '@ratchet/contracts/eval-report'
import type { CreateEval } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import { createPgRunLeases } from '@ratchet/work-kit/leases/pg-run-leases'
import { insertSamples, isUnfinished, verdictTable } from '../samples/pg-sample-row.ts'
import type { EvalJudge, EvalProgress, EvalRun, LeasedEval } from './eval-run.ts'
import type { EvalFilter, EvalStore } from './eval-store.ts'

/** Evals in Postgres. */
export function createPgEvals(pool: Pool): EvalStore {
  const leases = createPgRunLeases<EvalRow, LeasedEval>(
    pool,
    {
      table: 'eval_run',
      open: isOpen,
      ready: `NOT EXISTS (SELECT 1 FROM eval_sample s WHERE s.run_id = r.id AND ${isUnfinished})`,
    },
    leasedEvalOf,
  )
  return {
    ...leases,
    async create({ id, workspaceId, request, judge, maxCostNano, createdBy, createdAt }) {
      const texts = [JSON.stringify(request), JSON.stringify(judge), maxCostNano === null ? null : String(maxCostNano)]
      const models = [request.baseline_model, request.candidate_models]
      const values = [id, workspaceId, ...models, ...texts, request.webhook_url ?? null, createdBy, createdAt]
      return evalOf(onlyRow((await pool.query<EvalRow>(createStatement, values)).rows))
    },
    async get({ workspaceId, id }) {
      const text = 'SELECT * FROM eval_run WHERE workspace_id = $1 AND id = $2'
      const { rows } = await pool.query<EvalRow>(text, [workspaceId, id])
      return rows[0] === undefined ? null : evalOf(rows[0])
    },
    list: (filter) => list(pool, filter),
    progress: (ids) => progressOf(pool, ids),
    async countDone(workspaceId) {
      const text = `SELECT count(*)::int AS done FROM eval_run WHERE workspace_id = $1 AND status = 'DONE'`
      return onlyRow((await pool.query<{ done: number }>(text, [workspaceId])).rows).done
    },
    async countDatasetReaders(workspaceId, datasetId) {
      // Few evals are PENDING at a time. The request is text, so it is searched first and read afterwards.
      const text = `SELECT request FROM eval_run WHERE workspace_id = $1 AND status = 'PENDING' AND position($2 IN request) > 0`
      const { rows } = await pool.query<Pick<EvalRow, 'request'>>(text, [workspaceId, datasetId])
      const requests = rows.map(({ request }) => JSON.parse(request) as CreateEval)
      return requests.filter(({ sample_filters: filters }) => filters.dataset_id === datasetId).length
    },
    async cancel({ workspaceId, id }, at) {
      const { rows } = await pool.query<EvalRow>(cancelStatement, [workspaceId, id, at])
      return rows[0] === undefined ? null : evalOf(rows[0])
    },
    async skipPending({ workspaceId, id }) {
      await pool.query(skipStatement, [workspaceId, id])
    },
    begin: ({ id, generation }, samples) =>
      inTransaction(pool, async (client) => {
        const values = [id, generation, samples.length]
        const { rows } = await client.query<{ workspace_id: string }>(beginStatement, values)
        const [run] = rows
        if (run === undefined) return false
        await insertSamples(client, { runId: id, workspaceId: run.workspace_id, samples })
        return true
      }),
    async finish({ id, generation }, { status, report, error }, at) {
      const texts = [
        report === null ? null : JSON.stringify(report),
        error === null ? null : storableText(error, 1_000),
      ]
      const values = [id, generation, status, ...texts, at]
      return (await pool.query(finishStatement, values)).rowCount === 1
    },
  }
}

const createStatement = `
  INSERT INTO eval_run (id, workspace_id, baseline_model, candidate_models, request, judge, max_cost_nano, webhook_url,
    created_by, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING *`

/** SQL condition for evals that a worker still has to process. A cancelled eval still needs its report. */
export const isOpen = `(status IN ('PENDING', 'RUNNING') OR (status = 'CANCELLED' AND report IS NULL))`

/** Pending samples of a cancelled eval are never due, so that workers that search for work need not read them. */
const cancelStatement = `
  WITH cancelled AS (
    UPDATE eval_run SET status = 'CANCELLED', finished_at = $3
    WHERE workspace_id = $1 AND id = $2 AND status IN ('PENDING', 'RUNNING') RETURNING *
  ), never_due AS (
    UPDATE eval_sample s SET due_at = 'infinity' FROM cancelled c
    WHERE s.run_id = c.id AND s.workspace_id = c.workspace_id AND s.state = 'pending'
  )
  SELECT * FROM cancelled`

const skipStatement = `
  UPDATE eval_sample s SET state = 'done', failure = 'not_needed', last_error = NULL,
    outcomes = array_fill('error'::text, ARRAY[cardinality(r.candidate_models)])
  FROM eval_run r
  WHERE r.workspace_id = $1 AND r.id = $2 AND r.status = 'RUNNING' AND s.run_id = r.id AND s.workspace_id = $1
    AND s.state = 'pending'`

const beginStatement = `
  UPDATE eval_run SET status = 'RUNNING', samples_total = $3, leased_until = NULL, attempts = 0
  WHERE id = $1 AND generation = $2 AND status = 'PENDING' RETURNING workspace_id`

const finishStatement = `
  UPDATE eval_run SET status = CASE WHEN status = 'CANCELLED' THEN status ELSE $3::eval_status END,
    error = CASE WHEN status = 'CANCELLED' THEN NULL ELSE $5 END, report = $4,
    finished_at = coalesce(finished_at, $6), leased_until = NULL, attempts = 0,
    webhook_due_at = CASE WHEN webhook_url IS NOT NULL THEN now() END
  WHERE id = $1 AND generation = $2 AND ${isOpen} AND (status <> 'CANCELLED' OR $4::text IS NOT NULL)`

async function list(pool: Pool, filter: EvalFilter) {
  const { workspaceId, status = null, baselineModel = null, candidateModel = null, limit, offset } = filter
  const where = `workspace_id = $1 AND ($2::eval_status IS NULL OR status = $2) AND ($3::text IS NULL OR baseline_model = $3)
    AND ($4::text IS NULL OR $4 = ANY(candidate_models))`
  const values = [workspaceId, status, baselineModel, candidateModel]
  const counted = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM eval_run WHERE ${where}`,
    values,
  )
  const page = `SELECT * FROM eval_run WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT $5 OFFSET $6`
  const { rows } = await pool.query<EvalRow>(page, [...values, limit, offset])
  return { total: counted.rows[0]?.total ?? 0, runs: rows.map(evalOf) }
}

interface ProgressRow {
  readonly run_id: string
  readonly total: number
  readonly done: number
  readonly cost_nano: string
  readonly judge_cost_nano: string
  readonly waiting_for: string | null
}

const progressStatement = `
  SELECT s.run_id, count(*)::int AS total, (count(*) FILTER (WHERE s.state IN ('done', 'poisoned')))::int AS done,
    (SELECT coalesce(sum(a.cost_nano) FILTER (WHERE NOT a.recorded), 0) FROM eval_answer a WHERE a.run_id = s.run_id)::text
      AS cost_nano,
    (SELECT coalesce(sum(v.cost_nano), 0) FROM ${verdictTable} v WHERE v.run_id = s.run_id)::text AS judge_cost_nano,
    (array_agg(s.last_error ORDER BY s.due_at DESC) FILTER (WHERE s.state = 'pending' AND s.last_error IS NOT NULL))[1]
      AS waiting_for
  FROM eval_sample s WHERE s.run_id = ANY($1::uuid[]) GROUP BY s.run_id`

async function progressOf(pool: Pool, ids: readonly string[]): Promise<ReadonlyMap<string, EvalProgress>> {
  const { rows } = await pool.query<ProgressRow>(progressStatement, [ids])
  return new Map(
    rows.map(({ run_id, total, done, cost_nano, judge_cost_nano, waiting_for }) => [
      run_id,
      { total, done, costNano: BigInt(cost_nano), judgeCostNano: BigInt(judge_cost_nano), waitingFor: waiting_for },
    ]),
  )
}

function onlyRow<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined) throw new Error('The statement returned no row.')
  return row
}

type EvalRow = Row<'evalRun'>

function evalOf(row: EvalRow): EvalRun {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    status: row.status,
    request: JSON.parse(row.request) as CreateEval,
    judge: JSON.parse(row.judge) as EvalJudge,
    maxCostNano: row.max_cost_nano === null ? null : BigInt(row.max_cost_nano),
    samplesTotal: row.samples_total,
    report: row.report === null ? null : (JSON.parse(row.report) as EvalReport),
    error: row.error,
    webhook: webhookOf(row),
    createdBy: row.created_by,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}

function webhookOf(row: EvalRow): EvalRun['webhook'] {
  if (row.webhook_url === null) return null
  return {
    url: row.webhook_url,
    attempts: row.webhook_attempts,
    deliveredAt: row.webhook_delivered_at,
    error: row.webhook_error,
  }
}

function leasedEvalOf(row: EvalRow): LeasedEval {
  return { ...evalOf(row), generation: row.generation, attempts: row.attempts }
}

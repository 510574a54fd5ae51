import type { TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { wakeJob } from '../attempts/wake-job.ts'
import { jobNotices } from '../notices/pg-notices.ts'
import type { JobSettings, TrainingJob } from './job.ts'
import type { JobStore } from './job-store.ts'

/** Fine-tuning jobs in Postgres. */
export function createPgJobs(pool: Pool): JobStore {
  const one = async (text: string, values: readonly unknown[]) => {
    const { rows } = await pool.query<JobRow>(text, [...values])
    return rows[0] === undefined ? null : jobOf(rows[0])
  }
  return {
    async create(job) {
      const { id, workspaceId, baseModel, method, trainer, seed, request, settings, createdBy, createdAt } = job
      const sources = [job.datasetId, job.trainingFile, job.evalDatasetId, job.validationFile]
      const money = [job.priceNanoPerMtok, job.totalTokens, job.estimatedCostNano, job.maxCostNano, job.heldNano]
      const created = await one(createStatement, [
        ...[id, workspaceId, baseModel, method, trainer, seed, JSON.stringify(request), JSON.stringify(settings)],
        ...[...sources, ...money.map(textOf), settings.plan.total_steps, createdBy, createdAt],
        ...[job.warmStartId, request.afterTraining == null ? null : JSON.stringify(request.afterTraining)],
        ...[job.producer?.kind ?? null, job.producer?.id ?? null],
      ])
      if (created === null) throw new Error('The statement returned no row.')
      return created
    },
    get: ({ workspaceId, id }) =>
      one(`SELECT ${fields} FROM training_job j WHERE j.workspace_id = $1 AND j.id = $2 AND j.method <> 'grpo'`, [
        workspaceId,
        id,
      ]),
    async list({ workspaceId, status = null, model = null, after, limit }) {
      const values = [workspaceId, status, model, after?.createdAt ?? null, after?.id ?? null, limit]
      const { rows } = await pool.query<JobRow>(listStatement, values)
      return rows.map(jobOf)
    },
    cancel: ({ workspaceId, id }, at) => one(cancelStatement, [workspaceId, id, at]),
    pause: ({ workspaceId, id }) => one(pauseStatement, [workspaceId, id]),
    resume: ({ workspaceId, id }, { number, amountNano }) =>
      one(resumeStatement, [workspaceId, id, number, String(amountNano)]),
    async countReaders({ workspaceId, sourceId }) {
      const { rows } = await pool.query<{ jobs: number }>(readersStatement, [workspaceId, sourceId])
      return rows[0]?.jobs ?? 0
    },
    countUnfinished: (workspaceId) => countUnfinished(pool, workspaceId),
    async count() {
      const { rows } = await pool.query<CountRow>(countStatement)
      return { running: countsOf(rows, 'running'), queued: countsOf(rows, 'queued') }
    },
  }
}

function textOf(nano: bigint | null): string | null {
  return nano === null ? null : String(nano)
}

const fields = `j.*, (SELECT max(c.trained_tokens) FROM checkpoint c
  WHERE c.job_id = j.id AND c.workspace_id = j.workspace_id AND c.durable_at IS NOT NULL)::text AS durable_tokens,
  (SELECT v.id FROM model_version v WHERE v.job_id = j.id AND v.workspace_id = j.workspace_id
    ORDER BY v.step DESC LIMIT 1) AS version_id,
  (SELECT v.name FROM model_version v WHERE v.job_id = j.id AND v.workspace_id = j.workspace_id
    ORDER BY v.step DESC LIMIT 1) AS version_name,
  (SELECT a.started_at FROM training_attempt a
    WHERE a.job_id = j.id AND a.workspace_id = j.workspace_id AND a.ended_at IS NULL) AS runs_since,
  (SELECT max(c.step) FROM checkpoint c JOIN training_attempt a ON a.job_id = c.job_id AND a.ended_at IS NULL
    WHERE c.job_id = j.id AND c.workspace_id = j.workspace_id AND c.attempt < a.generation
      AND c.durable_at IS NOT NULL) AS runs_from`

/** Has workers look for jobs, when the statement is committed. */
const announced = `pg_notify('ratchet_work', '')::text AS announced`

const createStatement = `
  INSERT INTO training_job AS j (id, workspace_id, base_model, method, trainer, seed, request, settings, dataset_id,
    training_file, eval_dataset_id, validation_file, price_nano_per_mtok, total_tokens, estimated_cost_nano, max_cost_nano,
    held_nano, hold_number, total_steps, created_by, created_at, warm_start_id, after_training, producer_kind, producer_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 1, $18, $19, $20, $21, $22, $23, $24)
  RETURNING j.*, NULL::text AS durable_tokens, NULL::uuid AS version_id, NULL::text AS version_name, NULL::timestamptz AS runs_since,
    NULL::int AS runs_from, ${announced}`

const listStatement = `
  SELECT ${fields} FROM training_job j
  WHERE j.workspace_id = $1 AND j.method <> 'grpo' AND ($2::training_job_status IS NULL OR j.status = $2)
    AND ($3::text IS NULL OR j.base_model = $3)
    AND ($4::timestamptz IS NULL OR (j.created_at, j.id) < ($4, $5::uuid))
  ORDER BY j.created_at DESC, j.id DESC LIMIT $6`

/** A running job ends when its trainer has saved; the others at once, and a worker gives their hold back. */
const cancelStatement = `
  WITH changed AS (
    UPDATE training_job j SET
      status = CASE WHEN j.status = 'running' THEN j.status ELSE 'cancelled' END,
      asked = CASE WHEN j.status = 'running' THEN 'cancel' END,
      finished_at = CASE WHEN j.status = 'running' THEN NULL ELSE $3::timestamptz END,
      paused_at = NULL, waiting_for = NULL, ${wakeJob}
    WHERE j.workspace_id = $1 AND j.id = $2 AND j.status IN ('validating_files', 'queued', 'running', 'paused')
    RETURNING ${fields}, ${announced}
  ), told AS (${jobNotices('changed', "status = 'cancelled'")})
  SELECT * FROM changed`

const pauseStatement = `
  UPDATE training_job j SET asked = 'pause', ${wakeJob}
  WHERE j.workspace_id = $1 AND j.id = $2 AND j.status = 'running' AND j.asked IS DISTINCT FROM 'cancel'
  RETURNING ${fields}, ${announced}`

const resumeStatement = `
  UPDATE training_job j SET status = 'queued', asked = NULL, paused_at = NULL, hold_number = $3, held_nano = $4,
    ${wakeJob}
  WHERE j.workspace_id = $1 AND j.id = $2 AND j.status = 'paused' AND j.held_nano = 0 AND j.hold_number = $3 - 1
  RETURNING ${fields}, ${announced}`

const readersStatement = `
  SELECT count(*)::int AS jobs FROM training_job j
  WHERE j.workspace_id = $1 AND j.status NOT IN ('succeeded', 'failed', 'cancelled')
    AND (j.status = 'validating_files' OR j.train_sha256 IS NULL)
    AND $2::uuid IN (j.dataset_id, j.training_file, j.eval_dataset_id, j.validation_file)`

/** Jobs and GRPO runs of a workspace that have not ended. */
export async function countUnfinished(pool: Pick<Pool, 'query'>, workspaceId: string): Promise<number> {
  const { rows } = await pool.query<{ jobs: number }>(unfinishedStatement, [workspaceId])
  return rows[0]?.jobs ?? 0
}

const unfinishedStatement = `
  SELECT count(*)::int AS jobs FROM training_job j
  WHERE j.workspace_id = $1 AND j.status NOT IN ('succeeded', 'failed', 'cancelled')`

/** Of all workspaces, because they share the trainers. */
const countStatement = `
  SELECT status::text AS status, CASE WHEN status = 'running' THEN trainer ELSE base_model END AS name, count(*)::int AS jobs
  FROM training_job WHERE status IN ('queued', 'running') GROUP BY 1, 2`

interface CountRow {
  readonly status: 'queued' | 'running'
  readonly name: string
  readonly jobs: number
}

function countsOf(rows: readonly CountRow[], status: CountRow['status']): ReadonlyMap<string, number> {
  return new Map(rows.filter((row) => row.status === status).map(({ name, jobs }) => [name, jobs]))
}

type JobRow = Row<'trainingJob'> & {
  readonly durable_tokens: string | null
  readonly version_id: string | null
  readonly version_name: string | null
  readonly runs_since: Date | null
  readonly runs_from: number | null
}

/** Reports of before trainers counted tokens do not say so. */
const notCounted = { stop_token_trained: null, template_sha256: null }

function reportOf(text: string): TrainingDataReport {
  return JSON.parse(text) as TrainingDataReport
}

function jobOf(row: JobRow): TrainingJob {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    status: row.status,
    phase: row.phase as TrainingJob['phase'],
    waitingFor: row.waiting_for as TrainingJob['waitingFor'],
    asked: row.asked as TrainingJob['asked'],
    baseModel: row.base_model,
    method: row.method as TrainingJob['method'],
    trainer: row.trainer,
    seed: row.seed,
    request: JSON.parse(row.request) as CreateFineTuningJob,
    settings: JSON.parse(row.settings ?? '') as JobSettings,
    dataReport: row.data_report === null ? null : { ...notCounted, ...reportOf(row.data_report) },
    datasetId: row.dataset_id,
    trainingFile: row.training_file,
    evalDatasetId: row.eval_dataset_id,
    validationFile: row.validation_file,
    datasetSha256: row.dataset_sha256,
    ...moneyOf(row),
    ...progressOf(row),
  }
}

function moneyOf(row: JobRow) {
  return {
    priceNanoPerMtok: BigInt(row.price_nano_per_mtok),
    totalTokens: BigInt(row.total_tokens),
    tokensExact: row.tokens_exact,
    estimatedCostNano: BigInt(row.estimated_cost_nano),
    maxCostNano: row.max_cost_nano === null ? null : BigInt(row.max_cost_nano),
    heldNano: BigInt(row.held_nano),
    costNano: BigInt(row.cost_nano),
    holdNumber: row.hold_number,
    durableTokens: row.durable_tokens === null ? null : BigInt(row.durable_tokens),
  }
}

function versionOf({ version_id: id, version_name: name }: JobRow): TrainingJob['version'] {
  return id === null || name === null ? null : { id, name }
}

function progressOf(row: JobRow) {
  const { error_code: code, error_message: message, error_param: param } = row
  return {
    step: row.step,
    totalSteps: row.total_steps,
    epoch: row.epoch,
    stoppedEarly: row.stopped_early as TrainingJob['stoppedEarly'],
    error: code === null ? null : { code, message: message ?? '', param },
    lostAttempts: row.lost_attempts,
    version: versionOf(row),
    warmStartId: row.warm_start_id,
    afterEvalId: row.after_eval_id || null,
    resultFile: row.result_file,
    createdBy: row.created_by,
    createdAt: row.created_at,
    run: row.runs_since === null ? null : { since: row.runs_since, fromStep: row.runs_from ?? 0 },
    finishedAt: row.finished_at,
  }
}

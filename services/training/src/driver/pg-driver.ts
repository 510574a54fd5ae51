import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import { createPgRunLeases } from '@ratchet/work-kit/leases/pg-run-leases'
import type { JobSettings } from '../jobs/job.ts'
import { jobCostNano } from '../money/job-cost.ts'
import { jobNotices } from '../notices/pg-notices.ts'
import type { DrivenJob, DrivenWorld, DriverStore } from './driver-store.ts'
import type { JobAttempt } from './next-job.ts'

/** Jobs as workers change them, in Postgres. */
export function createPgDriver(pool: Pool): DriverStore {
  const leases = createPgRunLeases<JobColumns, DrivenJob>(
    pool,
    {
      table: 'training_job',
      open: `(r.status NOT IN ('succeeded', 'failed', 'cancelled') OR r.held_nano > 0)`,
      ready: 'true',
    },
    drivenOf,
  )
  const change = async (text: string, { id, generation }: DrivenJob, values: readonly unknown[] = []) =>
    (await pool.query(text, [id, generation, ...values])).rowCount === 1
  return {
    take: leases.take,
    renew: leases.renew,
    async release({ id, generation, wakes }, { delayMs, waitingFor, failures, isUnoffered }) {
      await pool.query(releaseStatement, [id, generation, delayMs, waitingFor, failures, wakes, isUnoffered])
    },
    async read({ id, generation }) {
      const { rows } = await pool.query<JobColumns>(readStatement, [id, generation])
      return rows[0] === undefined ? null : drivenOf(rows[0])
    },
    async world({ id, workspaceId, trainer }, { slots }) {
      const { rows } = await pool.query<WorldRow>(worldStatement, [id, workspaceId])
      const next = await pool.query<{ id: string }>(nextStatement, [trainer, slots])
      const [row] = rows
      if (row === undefined) throw new Error('The statement returned no row.')
      return worldOf(row, { jobId: id, isOffered: slots > 0, hasSlot: next.rows.some((each) => each.id === id) })
    },
    beginReading: (job) => change(readingStatement, job),
    setData: (job, { report, settings, totalTokens, estimatedCostNano, roots, ...hashes }) => {
      const { datasetSha256, trainSha256, validSha256 } = hashes
      const texts = [JSON.stringify(report), JSON.stringify(settings), String(totalTokens), String(estimatedCostNano)]
      return change(dataStatement, job, [
        ...texts,
        settings.plan.total_steps,
        datasetSha256,
        trainSha256,
        validSha256,
        roots,
      ])
    },
    setHold: (job, { number, amountNano }) => change(holdStatement, job, [number, String(amountNano)]),
    setCost: (job, costNano) => change(costStatement, job, [String(costNano)]),
    setSettled: (job, costNano) => change(settledStatement, job, [String(costNano)]),
    queue: (job) => change(queueStatement, job),
    pause: (job) => change(pauseStatement, job),
    end: (job, { status, error, stoppedEarly, resultFile = null, param = null, report = null }) => {
      const message = error === null ? null : storableText(error.message, 2_000)
      const texts = [error?.code ?? null, message, param, report === null ? null : JSON.stringify(report)]
      return change(endStatement, job, [status, stoppedEarly, ...texts, resultFile])
    },
    startAttempt: ({ id, generation, trainer, wakes }, { slots, leaseMs }) =>
      inTransaction(pool, async (client) => {
        // One start at a time, so that two workers do not take the same place.
        await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [startLock, trainer])
        const { rows } = await client.query<{ generation: number }>(startStatement, [
          id,
          generation,
          slots,
          leaseMs,
          wakes,
        ])
        return rows[0] === undefined ? null : { jobId: id, generation: rows[0].generation }
      }),
    command: (job, attempt, command) => change(commandStatement, job, [attempt.generation, command]),
  }
}

const startLock = 7_267_004
const held = 'j.id = $1 AND j.generation = $2'

/** A job that somebody has changed meanwhile is looked at again at once. */
const releaseStatement = `
  UPDATE training_job j SET waiting_for = CASE WHEN j.status = 'queued' THEN $4 END,
    leased_until = CASE WHEN j.wakes = $6 THEN now() + $3 * interval '1 millisecond' END,
    attempts = $5, unoffered_since = CASE WHEN $7 THEN coalesce(j.unoffered_since, now()) END
  WHERE ${held}`

const readStatement = `SELECT j.* FROM training_job j WHERE ${held}`

/** Prices and tokens of the steps and looks of a run until its last durable checkpoint; no row for other jobs. */
const durableSteps = `
    SELECT r.train_nano_per_mtok, r.sample_nano_per_mtok, coalesce(sum(s.trained_tokens), 0)::text AS trained_tokens,
      coalesce(sum(s.sampled_tokens), 0)::text AS sampled_tokens
    FROM grpo_run r LEFT JOIN grpo_step s ON s.run_id = r.id AND s.workspace_id = r.workspace_id
      AND s.state = ANY(CASE s.kind WHEN 'look' THEN ARRAY['judging', 'rewarded'] ELSE ARRAY['trained'] END)
      AND s.step <= (SELECT max(c.step) FROM checkpoint c
        WHERE c.job_id = r.id AND c.workspace_id = r.workspace_id AND c.durable_at IS NOT NULL)
    WHERE r.id = $1 AND r.workspace_id = $2 GROUP BY r.id`

const worldStatement = `
  SELECT now() AS now, a.generation, a.exit, a.lease_until, a.command, a.command_at, a.error_code, a.error_message,
    a.error_retryable, a.result,
    (SELECT coalesce(max(c.trained_tokens), 0) FROM checkpoint c
     WHERE c.job_id = $1 AND c.workspace_id = $2 AND c.durable_at IS NOT NULL)::text AS durable_tokens,
    steps.*
  FROM (VALUES (1)) AS one LEFT JOIN LATERAL (${durableSteps}) steps ON true LEFT JOIN LATERAL (
    SELECT * FROM training_attempt WHERE job_id = $1 AND workspace_id = $2 ORDER BY generation DESC LIMIT 1
  ) a ON true`

/** Jobs that lost their trainer first, then the workspace that has the fewest running, then the oldest. */
const nextStatement = `
  WITH running AS (
    SELECT job_id, workspace_id FROM training_attempt WHERE trainer = $1 AND ended_at IS NULL
  )
  SELECT j.id FROM training_job j
  WHERE j.trainer = $1 AND j.status IN ('queued', 'running') AND NOT EXISTS (SELECT 1 FROM running WHERE job_id = j.id)
  ORDER BY j.status = 'queued',
    (SELECT count(*) FROM running WHERE workspace_id = j.workspace_id)
      + row_number() OVER (PARTITION BY j.workspace_id, j.status ORDER BY j.created_at), j.created_at
  LIMIT greatest(0, $2 - (SELECT count(*) FROM running))`

const readingStatement = `UPDATE training_job j SET data_tries = j.data_tries + 1 WHERE ${held}`

const dataStatement = `
  WITH stored AS (
    UPDATE training_job j SET data_report = $3, settings = $4, total_tokens = $5, estimated_cost_nano = $6, total_steps = $7,
      dataset_sha256 = $8, train_sha256 = $9, valid_sha256 = $10
    WHERE ${held} RETURNING j.id, j.workspace_id
  )
  INSERT INTO training_roots AS r (holder, workspace_id, roots) SELECT id, workspace_id, $11 FROM stored
  ON CONFLICT (holder) DO UPDATE SET roots = $11`

const holdStatement = `UPDATE training_job j SET hold_number = $3, held_nano = $4 WHERE ${held}`

const costStatement = `
  UPDATE training_job j SET cost_nano = $3, held_nano = greatest(0, j.held_nano - ($3 - j.cost_nano)) WHERE ${held}`

const settledStatement = `UPDATE training_job j SET cost_nano = $3, held_nano = 0 WHERE ${held}`

const queueStatement = `UPDATE training_job j SET status = 'queued' WHERE ${held} AND j.status = 'validating_files'`

const pauseStatement = `
  WITH paused AS (
    UPDATE training_job j SET status = 'paused', paused_at = now(), asked = NULL, phase = NULL
    WHERE ${held} AND j.status = 'running' AND j.asked = 'pause' RETURNING j.*
  ), told AS (${jobNotices('paused')})
  SELECT id, pg_notify('ratchet_work', '')::text FROM paused`

const endStatement = `
  WITH ended AS (
    UPDATE training_job j SET status = $3::training_job_status, finished_at = now(), stopped_early = $4, error_code = $5,
      error_message = $6, error_param = $7, data_report = coalesce($8, j.data_report), phase = NULL, waiting_for = NULL,
      asked = NULL, paused_at = NULL, result_file = $9
    WHERE ${held} AND j.status NOT IN ('succeeded', 'failed', 'cancelled') RETURNING j.*
  ), told AS (${jobNotices('ended')})
  SELECT id, pg_notify('ratchet_work', '')::text FROM ended`

/** Nothing begins on a decision about a row that has changed since. */
const startStatement = `
  WITH started AS (
    UPDATE training_job j SET status = 'running', waiting_for = NULL, phase = 'preparing',
      started_at = coalesce(j.started_at, now())
    WHERE ${held} AND j.wakes = $5 AND j.status IN ('queued', 'running')
      AND (SELECT count(*) FROM training_attempt a WHERE a.trainer = j.trainer AND a.ended_at IS NULL) < $3
    RETURNING j.id, j.workspace_id, j.trainer
  )
  INSERT INTO training_attempt (job_id, generation, workspace_id, trainer, started_at, lease_until)
  SELECT s.id, 1 + coalesce((SELECT max(a.generation) FROM training_attempt a WHERE a.job_id = s.id), 0), s.workspace_id,
    s.trainer, now(), now() + $4 * interval '1 millisecond'
  FROM started s RETURNING generation`

const commandStatement = `
  UPDATE training_attempt a SET command = $4, command_at = now()
  FROM training_job j WHERE ${held} AND a.job_id = j.id AND a.generation = $3 AND a.ended_at IS NULL`

type JobColumns = Row<'trainingJob'>

function drivenOf(row: JobColumns): DrivenJob {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    generation: row.generation,
    attempts: row.attempts,
    wakes: row.wakes,
    status: row.status,
    asked: row.asked as DrivenJob['asked'],
    baseModel: row.base_model,
    method: row.method as DrivenJob['method'],
    trainer: row.trainer,
    seed: row.seed,
    request: JSON.parse(row.request) as CreateFineTuningJob,
    settings: JSON.parse(row.settings ?? '') as JobSettings,
    datasetId: row.dataset_id,
    trainingFile: row.training_file,
    evalDatasetId: row.eval_dataset_id,
    validationFile: row.validation_file,
    isDataReady: row.train_sha256 !== null,
    dataTries: row.data_tries,
    priceNanoPerMtok: BigInt(row.price_nano_per_mtok),
    totalTokens: BigInt(row.total_tokens),
    tokensExact: row.tokens_exact,
    maxCostNano: row.max_cost_nano === null ? null : BigInt(row.max_cost_nano),
    heldNano: BigInt(row.held_nano),
    costNano: BigInt(row.cost_nano),
    holdNumber: row.hold_number,
    lostAttempts: row.lost_attempts,
    pausedAt: row.paused_at,
    unofferedSince: row.unoffered_since,
    createdBy: row.created_by,
  }
}

interface WorldRow {
  readonly now: Date
  readonly generation: number | null
  readonly exit: JobAttempt['exit']
  readonly lease_until: Date
  readonly command: JobAttempt['command']
  readonly command_at: Date | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly error_retryable: boolean | null
  readonly result: string | null
  readonly durable_tokens: string
  /** Null unless the job is one of a run. */
  readonly train_nano_per_mtok: string | null
  readonly sample_nano_per_mtok: string | null
  readonly trained_tokens: string | null
  readonly sampled_tokens: string | null
}

function worldOf(
  row: WorldRow,
  { jobId, ...slots }: { readonly jobId: string; readonly isOffered: boolean; readonly hasSlot: boolean },
): DrivenWorld {
  const { now, generation, exit, error_code: code } = row
  const world = { now, ...durableOf(row), ...slots }
  if (generation === null) return { ...world, attempt: null }
  const message = row.error_message ?? ''
  const failure = code === null ? null : { code, message, retryable: row.error_retryable ?? false }
  const result = JSON.parse(row.result ?? '{}') as { readonly stopped_early?: JobAttempt['stoppedEarly'] }
  const { lease_until: leaseUntil, command, command_at: commandSince } = row
  const attempt = { jobId, generation, exit, leaseUntil, command, commandSince, failure }
  return { ...world, attempt: { ...attempt, stoppedEarly: result.stopped_early ?? null } }
}

function durableOf(row: WorldRow): Pick<DrivenWorld, 'durableTokens' | 'stepsCostNano'> {
  const { train_nano_per_mtok: train, sample_nano_per_mtok: sample } = row
  if (train === null || sample === null) return { durableTokens: BigInt(row.durable_tokens), stepsCostNano: null }
  const [trained, sampled] = [BigInt(row.trained_tokens ?? 0), BigInt(row.sampled_tokens ?? 0)]
  const stepsCostNano = jobCostNano(trained, BigInt(train)) + jobCostNano(sampled, BigInt(sample))
  return { durableTokens: trained + sampled, stepsCostNano }
}

import type { TrainerCommand } from '@ratchet/contracts/trainer-protocol'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import { type Attempt, type AttemptEnd, AttemptSettings, type AttemptStore } from './attempt.ts'
import { manifestOf, pgCheckpoints } from './pg-checkpoints.ts'
import { changeData } from './pg-data-counts.ts'
import { addEvents } from './pg-events.ts'
import { wakeJob } from './wake-job.ts'

/** What running attempts write, in Postgres. Every statement asks for the generation of the token, and that it runs. */
export function createPgAttempts(pool: Pool): AttemptStore {
  return {
    ...pgCheckpoints(pool),
    async find({ jobId, generation }) {
      const { rows } = await pool.query<AttemptRow>(findStatement, [jobId, generation])
      return rows[0] === undefined ? null : attemptOf(rows[0])
    },
    async isRunning({ jobId, generation }) {
      return (await pool.query(runningStatement, [jobId, generation])).rows.length === 1
    },
    async keepWaiting({ jobId, generation }, leaseMs) {
      return (await pool.query(waitingStatement, [jobId, generation, leaseMs])).rowCount === 1
    },
    async heartbeat({ jobId, generation }, { step, phase, epoch, codeVersion }, leaseMs) {
      const values = [jobId, generation, step, phase, epoch, leaseMs, codeVersion]
      const { rows } = await pool.query<HeartbeatRow>(heartbeatStatement, values)
      const [row] = rows
      return row === undefined ? null : { command: row.command ?? 'continue', leaseUntil: row.lease_until }
    },
    changeData: (id, change) => inTransaction(pool, (client) => changeData(client, id, change)),
    addEvents: (id, events) => inTransaction(pool, (client) => addEvents(client, id, events)),
    async setFingerprint({ jobId, generation }, fingerprint) {
      const values = [
        jobId,
        generation,
        JSON.stringify(fingerprint),
        fingerprint.step,
        JSON.stringify(fingerprint.probes),
      ]
      return (await pool.query(fingerprintStatement, values)).rowCount === 1
    },
    async end({ jobId, generation }, end) {
      return (await pool.query(endStatement, [jobId, generation, ...endValues(end)])).rowCount === 1
    },
  }
}

const findStatement = `
  SELECT a.job_id, a.generation, a.workspace_id, a.trainer, j.method, j.seed, j.settings, j.data_report, j.train_sha256, j.valid_sha256,
    t.bytes AS train_bytes, v.bytes AS valid_bytes, j.price_nano_per_mtok, j.max_cost_nano, c.step, c.trained_tokens, c.manifest,
    w.manifest AS warm_manifest, ARRAY(SELECT s.step FROM grpo_step s WHERE s.run_id = a.job_id AND s.kind = 'look' AND s.step > 0 ORDER BY s.step) AS look_steps
  FROM training_attempt a JOIN training_job j ON j.id = a.job_id
    LEFT JOIN artifact t ON t.sha256 = j.train_sha256 LEFT JOIN artifact v ON v.sha256 = j.valid_sha256
    LEFT JOIN model_version w ON w.id = j.warm_start_id AND w.workspace_id = j.workspace_id
    LEFT JOIN LATERAL (
      SELECT * FROM checkpoint WHERE job_id = a.job_id AND durable_at IS NOT NULL ORDER BY step DESC LIMIT 1
    ) c ON true
  WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL`

const runningStatement = `
  SELECT 1 FROM training_attempt a WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL`

const waitingStatement = `
  UPDATE training_attempt a SET lease_until = greatest(a.lease_until, now() + $3 * interval '1 millisecond')
  WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL`

/** The job shows the progress of its attempt. A job that is told to stop has nothing to show any more. */
const heartbeatStatement = `
  WITH beat AS (
    UPDATE training_attempt a SET step = $3, phase = $4, heartbeat_at = now(),
      lease_until = now() + $6 * interval '1 millisecond', code_version = coalesce($7, a.code_version)
    WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL
    RETURNING a.job_id, a.command, a.lease_until
  ), shown AS (
    UPDATE training_job j SET step = least($3, j.total_steps), phase = $4,
      epoch = least(coalesce($5, j.epoch), (j.settings::jsonb -> 'hyperparameters' ->> 'n_epochs')::float8)
    FROM beat WHERE j.id = beat.job_id AND j.status = 'running'
  )
  SELECT command, lease_until FROM beat`

/** The attempt has that of its last checkpoint, and each checkpoint its own. */
const fingerprintStatement = `
  WITH stored AS (
    INSERT INTO version_fingerprint AS f (version_id, workspace_id, source, probes, created_at)
    SELECT c.id, c.workspace_id, 'trainer', $5, now() FROM training_attempt a JOIN checkpoint c ON c.job_id = a.job_id
    WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL AND c.step = $4 AND c.durable_at IS NOT NULL
    ON CONFLICT (version_id) DO UPDATE SET source = excluded.source, probes = excluded.probes
  )
  UPDATE training_attempt a SET fingerprint = $3 WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL`

/**
 * Ends an attempt, counts it when it was lost, and has a worker look at the job at once. One that stops without being asked
 * and without a checkpoint is lost too: otherwise a trainer that always does that would be started for ever.
 */
const endStatement = `
  WITH running AS (
    SELECT a.job_id, a.generation, $3 = 'stopped' AND a.command IS NULL AND j.asked IS NULL AND NOT EXISTS (
      SELECT 1 FROM checkpoint c WHERE c.job_id = a.job_id AND c.attempt = a.generation AND c.durable_at IS NOT NULL
    ) AS is_vain
    FROM training_attempt a JOIN training_job j ON j.id = a.job_id
    WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL
  ), ended AS (
    UPDATE training_attempt a SET ended_at = now(), exit = CASE WHEN r.is_vain THEN 'lost' ELSE $3 END, result = $4,
      error_code = CASE WHEN r.is_vain THEN 'trainer_lost' ELSE $5 END,
      error_message = CASE WHEN r.is_vain THEN 'The trainer stopped before its first checkpoint.' ELSE $6 END,
      error_retryable = r.is_vain OR $7
    FROM running r WHERE a.job_id = r.job_id AND a.generation = r.generation AND a.ended_at IS NULL
    RETURNING a.job_id, r.is_vain
  )
  UPDATE training_job j SET lost_attempts = j.lost_attempts + CASE WHEN ended.is_vain THEN 1 ELSE $8 END, ${wakeJob}
  FROM ended, LATERAL (SELECT pg_notify('ratchet_work', '')) AS notified WHERE j.id = ended.job_id`

/** Values of an end, from `$3` on. */
export function endValues(end: AttemptEnd): readonly unknown[] {
  switch (end.exit) {
    case 'succeeded':
      return ['succeeded', JSON.stringify(end.result), null, null, null, 0]
    case 'stopped':
      return ['stopped', null, null, null, null, 0]
    default: {
      const { exit, code, retryable } = end
      const isLost = exit === 'lost' || retryable
      return [exit, null, code, storableText(end.message, 2_000), retryable, isLost ? 1 : 0]
    }
  }
}

interface HeartbeatRow {
  readonly command: Exclude<TrainerCommand, 'continue'> | null
  readonly lease_until: Date
}

type JobColumns =
  | 'method'
  | 'seed'
  | 'settings'
  | 'data_report'
  | 'train_sha256'
  | 'valid_sha256'
  | 'price_nano_per_mtok'
  | 'max_cost_nano'

interface AttemptRow
  extends Pick<Row<'trainingJob', { method: 'supervised' | 'dpo' | 'grpo' }>, JobColumns>,
    Pick<Row<'trainingAttempt'>, 'job_id' | 'generation' | 'workspace_id' | 'trainer'> {
  readonly train_bytes: string | null
  readonly valid_bytes: string | null
  readonly step: number | null
  readonly trained_tokens: string | null
  readonly manifest: string | null
  readonly warm_manifest: string | null
  readonly look_steps: readonly number[]
}

function attemptOf(row: AttemptRow): Attempt {
  const isRun = row.method === 'grpo'
  if (row.settings === null || row.train_sha256 === null || (row.train_bytes === null && !isRun)) {
    throw new Error('An attempt was started before its data was ready.')
  }
  const settings = AttemptSettings.parse(JSON.parse(row.settings))
  const report = JSON.parse(row.data_report ?? '{}') as { readonly used?: number; readonly validation?: number }
  const isValidated = row.valid_sha256 !== null && row.valid_bytes !== null
  return {
    jobId: row.job_id,
    generation: row.generation,
    workspaceId: row.workspace_id,
    trainer: row.trainer,
    method: row.method,
    seed: row.seed,
    settings: isRun ? { ...settings, plan: { ...settings.plan, servable_steps: [...row.look_steps] } } : settings,
    training: { sha256: row.train_sha256, bytes: Number(row.train_bytes ?? 0), count: report.used ?? 0 },
    validation: isValidated
      ? { sha256: row.valid_sha256 as string, bytes: Number(row.valid_bytes), count: report.validation ?? 0 }
      : null,
    priceNanoPerMtok: BigInt(row.price_nano_per_mtok),
    maxCostNano: row.max_cost_nano === null ? null : BigInt(row.max_cost_nano),
    warmStart: row.warm_manifest === null ? null : manifestOf(row.warm_manifest),
    durable:
      row.step === null || row.manifest === null
        ? null
        : { step: row.step, trainedTokens: Number(row.trained_tokens), files: manifestOf(row.manifest) },
  }
}

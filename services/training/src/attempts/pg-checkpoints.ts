import { type CheckpointFile, CheckpointFile as FileOfManifest } from '@ratchet/contracts/trainer-protocol'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { z } from 'zod'
import { createCheckpointVersion } from '../versions/pg-checkpoint-version.ts'
import type { AttemptStore, BegunCheckpoint } from './attempt.ts'
import { manifestHash } from './manifest-hash.ts'
import { wakeJob } from './wake-job.ts'

type CheckpointStore = Pick<AttemptStore, 'beginCheckpoint' | 'findCheckpoint' | 'completeCheckpoint'>

/** Checkpoints of running attempts, in Postgres. */
export function pgCheckpoints(pool: Pool): CheckpointStore {
  return {
    async beginCheckpoint({ jobId, generation }, { id, step, files }) {
      const manifest = JSON.stringify(files)
      const bytes = files.reduce((total, file) => total + file.bytes, 0)
      const values = [jobId, generation, id, step, manifest, manifestHash(files), bytes]
      const { rows } = await pool.query<BegunRow>(beginStatement, values)
      return rows[0] === undefined ? null : { ...begunOf(rows[0]), announcedBytes: Number(rows[0].announced_bytes) }
    },
    async findCheckpoint({ jobId, generation }, step) {
      const { rows } = await pool.query<CheckpointRow>(findStatement, [jobId, generation, step])
      return rows[0] === undefined ? null : begunOf(rows[0])
    },
    completeCheckpoint: ({ jobId, generation }, checkpoint) =>
      inTransaction(pool, async (client) => {
        const { id, trainedTokens, epoch, metrics, servable, servedAs, files } = checkpoint
        const values = [jobId, generation, id, trainedTokens, epoch, JSON.stringify(metrics), servable, servedAs]
        const { rows } = await client.query<CompletedRow>(completeStatement, values)
        const [row] = rows
        if (row === undefined) return null
        const hashes = [...new Set(files.map(({ sha256 }) => sha256))]
        await client.query(referStatement, [row.workspace_id, id, hashes])
        await client.query(unreferStatement, [row.workspace_id, id, hashes])
        await forgetStates(client, { jobId, workspaceId: row.workspace_id, step: checkpoint.step })
        if (servable) await createCheckpointVersion(client, { jobId, workspaceId: row.workspace_id }, checkpoint)
        return row.durable_at
      }),
  }
}

/** A checkpoint that is durable stays as it is: then the stored one is returned. */
const beginStatement = `
  WITH running AS (
    UPDATE training_attempt a SET announced_bytes = a.announced_bytes + $7
    WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL
    RETURNING a.workspace_id, a.announced_bytes
  ), begun AS (
    INSERT INTO checkpoint AS c (id, job_id, workspace_id, step, attempt, manifest, sha256, bytes, trained_tokens, begun_at)
    SELECT $3, $1, workspace_id, $4, $2, $5, $6, $7, 0, now() FROM running
    ON CONFLICT (job_id, step) DO UPDATE SET attempt = $2, manifest = $5, sha256 = $6, bytes = $7, begun_at = now()
    WHERE c.durable_at IS NULL
    RETURNING *
  )
  SELECT b.*, r.announced_bytes FROM begun b CROSS JOIN running r
  UNION ALL
  SELECT c.*, r.announced_bytes FROM checkpoint c JOIN running r ON c.workspace_id = r.workspace_id
  WHERE c.job_id = $1 AND c.step = $4 AND c.durable_at IS NOT NULL`

/** One that an earlier attempt began is not there before this one has begun it too. */
const findStatement = `
  SELECT c.* FROM training_attempt a JOIN checkpoint c ON c.job_id = a.job_id
  WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL AND c.step = $3
    AND (c.durable_at IS NOT NULL OR c.attempt = $2)`

/** The attempt cannot end between the check and the change, and the row must still be the one that was begun by it. */
const completeStatement = `
  WITH running AS (
    SELECT a.job_id FROM training_attempt a
    WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL FOR UPDATE
  ), completed AS (
    UPDATE checkpoint c SET durable_at = now(), trained_tokens = $4, epoch = coalesce($5, c.epoch), metrics = $6, servable = $7,
      served_as = $8
    FROM running WHERE c.id = $3 AND c.job_id = running.job_id AND c.attempt = $2 AND c.durable_at IS NULL
    RETURNING c.job_id, c.workspace_id, c.durable_at, c.step, c.epoch
  ), woken AS (
    UPDATE training_job j SET ${wakeJob}, step = completed.step, epoch = completed.epoch
    FROM completed, LATERAL (SELECT pg_notify('ratchet_work', '')) AS notified WHERE j.id = completed.job_id
  )
  SELECT workspace_id, durable_at FROM completed`

const referStatement = `
  INSERT INTO artifact_reference (sha256, holder, workspace_id)
  SELECT sha256, $2, $1 FROM unnest($3::text[]) AS f(sha256) ON CONFLICT DO NOTHING`

/** What was uploaded for it when it was begun before, with other files. */
const unreferStatement = `
  DELETE FROM artifact_reference WHERE workspace_id = $1 AND holder = $2 AND sha256 <> ALL($3::text[])`

/** What only served to resume the job from an earlier step is not needed after a later one. */
const forgetStatement = `
  DELETE FROM artifact_reference r USING checkpoint c
  WHERE c.job_id = $1 AND c.workspace_id = $2 AND c.step < $3 AND r.holder = c.id AND (c.durable_at IS NULL OR r.sha256 IN (
    SELECT f ->> 'sha256' FROM jsonb_array_elements(c.manifest::jsonb) AS f WHERE NOT c.servable OR f ->> 'kind' = 'state'))`

interface Superseding {
  readonly jobId: string
  readonly workspaceId: string
  readonly step: number
}

async function forgetStates(client: PoolClient, { jobId, workspaceId, step }: Superseding): Promise<void> {
  await client.query(forgetStatement, [jobId, workspaceId, step])
}

type CheckpointRow = Row<'checkpoint'>

type BegunRow = CheckpointRow & Pick<Row<'trainingAttempt'>, 'announced_bytes'>

interface CompletedRow {
  readonly workspace_id: string
  readonly durable_at: Date
}

function begunOf(row: CheckpointRow): BegunCheckpoint {
  return {
    id: row.id,
    step: row.step,
    files: manifestOf(row.manifest),
    durableAt: row.durable_at,
    trainedTokens: Number(row.trained_tokens),
  }
}

const Manifest = z.array(FileOfManifest)

/** The files of a checkpoint, from their JSON text. */
export function manifestOf(text: string): readonly CheckpointFile[] {
  return Manifest.parse(JSON.parse(text))
}

import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { manifestHash } from '../attempts/manifest-hash.ts'
import type { NewVersion } from './model-version.ts'
import { versionName } from './version-name.ts'

/**
 * Creates a version as a candidate, in the transaction of the client if it has one. Inference knows its name at most a second
 * after the commit. A repetition changes nothing.
 *
 * A version is a product of a judge's reward when GRPO or RAFT made it, or a version that it was trained from.
 *
 * @returns its name
 */
export async function createCandidateVersion(db: Pool | PoolClient, version: NewVersion): Promise<string> {
  const { id, workspaceId, baseModel, suffix, producedBy, files, jobId, step, parentId, datasetId } = version
  const { rows } = await db.query<{ slug: string }>(slugStatement, [workspaceId])
  const name = versionName({ id, baseModel, workspace: rows[0]?.slug ?? '', suffix })
  const isRewarded = producedBy.type === 'grpo' || producedBy.type === 'raft'
  const weights = files.filter(({ kind }) => kind === 'adapter')
  const bytes = weights.reduce((total, file) => total + file.bytes, 0)
  const { adapterRank, metrics, servedAs, createdBy } = version
  await db.query(createStatement, [
    ...[id, workspaceId, name, baseModel, producedBy.type, producedBy.id, jobId, step, parentId, datasetId],
    ...[isRewarded, JSON.stringify(weights), manifestHash(weights), bytes, adapterRank, JSON.stringify(metrics)],
    ...[servedAs, createdBy],
  ])
  return name
}

const slugStatement = 'SELECT slug FROM training_workspace WHERE workspace_id = $1'

/** The revision changes only with a version that has a route. */
const createStatement = `
  WITH created AS (
    INSERT INTO model_version (id, workspace_id, name, base_model, produced_by, producer_id, job_id, step, parent_id, dataset_id,
      rewarded, manifest, sha256, bytes, adapter_rank, metrics, served_as, created_by, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 OR coalesce((
        SELECT p.rewarded FROM model_version p WHERE p.id = $9 AND p.workspace_id = $2), false),
      $12, $13, $14, $15, $16, $17, $18, now())
    ON CONFLICT (id) DO NOTHING RETURNING workspace_id, served_as
  )
  INSERT INTO version_revision AS r (workspace_id, revision) SELECT workspace_id, 1 FROM created WHERE served_as IS NOT NULL
  ON CONFLICT (workspace_id) DO UPDATE SET revision = r.revision + 1`

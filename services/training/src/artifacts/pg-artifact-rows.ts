import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import type { ArtifactRows } from './artifact-rows.ts'

/** Rows about artifacts, in Postgres. */
export function createPgArtifactRows(pool: Pool): ArtifactRows {
  return {
    async add(contents) {
      // In one order, so that two calls cannot wait for each other.
      const sorted = [...new Map(contents.map((content) => [content.sha256, content])).values()]
      sorted.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
      await pool.query(addStatement, [sorted.map(({ sha256 }) => sha256), sorted.map(({ bytes }) => bytes)])
    },
    async refer({ id, workspaceId }, contents) {
      const sizes = new Map(contents.map(({ sha256, bytes }) => [sha256, bytes]))
      const values = [workspaceId, id, [...sizes.keys()], [...sizes.values()]]
      await withinQuota(() => pool.query(referStatement, values))
    },
    async ofWorkspace(workspaceId, contents) {
      const values = [workspaceId, contents.map(({ sha256 }) => sha256)]
      const { rows } = await pool.query<{ sha256: string }>(ofWorkspaceStatement, values)
      return new Set(rows.map(({ sha256 }) => sha256))
    },
    async forgetEnded(unneededMs) {
      await pool.query(forgetStatement, [unneededMs])
      await pool.query(forgetImportsStatement, [unneededMs])
    },
    async sweep({ unneededMs, limit, remove }) {
      const { rows } = await pool.query<{ sha256: string }>(unneededStatement, [unneededMs, limit])
      let removed = 0
      for (const { sha256 } of rows) {
        const isRemoved = await inTransaction(pool, async (client) => {
          // The row stays locked until its content is removed, so that `add` waits.
          const isUnneeded = (await client.query(removeStatement, [sha256, unneededMs])).rowCount === 1
          if (isUnneeded) await remove(sha256)
          return isUnneeded
        })
        if (isRemoved) removed += 1
      }
      return removed
    },
  }
}

const addStatement = `
  INSERT INTO artifact (sha256, bytes, created_at)
  SELECT sha256, bytes, now() FROM unnest($1::text[], $2::bigint[]) AS f(sha256, bytes)
  ON CONFLICT (sha256) DO UPDATE SET created_at = now()`

/** The size that was announced first may have been a wrong one, of an upload that was never accepted. */
const referStatement = `
  WITH needed AS (
    SELECT sha256, bytes FROM unnest($3::text[], $4::bigint[]) AS f(sha256, bytes)
  ), measured AS (
    UPDATE artifact a SET bytes = n.bytes FROM needed n WHERE a.sha256 = n.sha256 AND a.bytes <> n.bytes
  )
  INSERT INTO artifact_reference (sha256, holder, workspace_id) SELECT sha256, $2, $1 FROM needed ON CONFLICT DO NOTHING`

/** Examples of jobs that have ended, and what was uploaded for checkpoints that they never completed. */
const forgetStatement = `
  DELETE FROM artifact_reference r USING training_job j, artifact a
  WHERE a.sha256 = r.sha256 AND a.created_at < now() - $1 * interval '1 millisecond'
    AND j.workspace_id = r.workspace_id AND j.status IN ('succeeded', 'failed', 'cancelled') AND (r.holder = j.id OR EXISTS (
    SELECT 1 FROM checkpoint c WHERE c.id = r.holder AND c.job_id = j.id AND c.durable_at IS NULL))`

/** Adapters that were imported and then archived. They count until they are removed, however often that is done. */
const forgetImportsStatement = `
  DELETE FROM artifact_reference r USING model_version v, artifact a
  WHERE a.sha256 = r.sha256 AND a.created_at < now() - $1 * interval '1 millisecond'
    AND v.id = r.holder AND v.workspace_id = r.workspace_id AND v.produced_by = 'import'
    AND v.archived_at < now() - $1 * interval '1 millisecond'`

const ofWorkspaceStatement = `
  SELECT DISTINCT sha256 FROM artifact_reference WHERE workspace_id = $1 AND sha256 = ANY($2)`

const isUnneeded = `a.created_at < now() - $UNNEEDED * interval '1 millisecond'
    AND NOT EXISTS (SELECT 1 FROM artifact_reference r WHERE r.sha256 = a.sha256)`

const unneededStatement = `
  SELECT a.sha256 FROM artifact a WHERE ${isUnneeded.replace('$UNNEEDED', '$1')} ORDER BY a.created_at LIMIT $2`

const removeStatement = `DELETE FROM artifact a WHERE a.sha256 = $1 AND ${isUnneeded.replace('$UNNEEDED', '$2')}`

import type { Pool } from '@ratchet/db/connect-pool'
import { manifestOf } from '../attempts/pg-checkpoints.ts'
import { answersOf, createPgPool } from '../pool/pg-pool.ts'
import type { ProveDeps } from './prove-version.ts'

/** What is known of versions that replicas load. */
export function createPgServedVersions(pool: Pool): ProveDeps['store'] {
  return {
    learn: createPgPool(pool).learn,
    async versionOf({ id, workspaceId }) {
      const { rows } = await pool.query<{ manifest: string; probes: string | null }>(versionStatement, [
        workspaceId,
        id,
      ])
      const [row] = rows
      if (row === undefined) return null
      return { files: manifestOf(row.manifest), expected: row.probes === null ? null : answersOf(row.probes) }
    },
  }
}

const versionStatement = `
  SELECT v.manifest, f.probes FROM model_version v
    LEFT JOIN version_fingerprint f ON f.version_id = v.id AND f.workspace_id = v.workspace_id
  WHERE v.workspace_id = $1 AND v.id = $2`

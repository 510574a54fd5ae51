import type { Pool } from '@ratchet/db/connect-pool'
import type { HeldJob, HeldJobs } from './keep-holds.ts'

/** Jobs of all workspaces that hold money, after the job $1. */
const heldStatement = `
SELECT id, workspace_id, hold_number, created_by, base_model, held_nano FROM training_job
WHERE held_nano > 0 AND ($1::uuid IS NULL OR id > $1::uuid) ORDER BY id LIMIT 1000`

interface HeldRow {
  readonly id: string
  readonly workspace_id: string
  readonly hold_number: number
  readonly created_by: string
  readonly base_model: string
  readonly held_nano: string
}

export function createPgHeldJobs(pool: Pick<Pool, 'query'>): HeldJobs {
  return {
    async after(jobId) {
      return (await pool.query<HeldRow>(heldStatement, [jobId])).rows.map(holdOf)
    },
  }
}

function holdOf({ id, workspace_id, hold_number, created_by, base_model, held_nano }: HeldRow): HeldJob {
  return {
    workspaceId: workspace_id,
    jobId: id,
    holdNumber: hold_number,
    createdBy: created_by,
    model: base_model,
    heldNano: BigInt(held_nano),
  }
}

import type { Pool } from './connect-pool.ts'

/** A change that a request of a workspace is about to make. */
export interface BegunChange {
  readonly id: string
  readonly workspaceId: string
  readonly action: string
  /** What is changed, as far as the request names it. */
  readonly subject: string
  readonly userId: string | null
  readonly keyId: string | null
  readonly requestId: string
  readonly at: Date
}

export interface EndedChange extends Pick<BegunChange, 'id' | 'workspaceId'> {
  /** What was changed, where the request did not name it. */
  readonly subject: string | null
  /** What is known of the change; null: nothing was changed. */
  readonly made: object | null
}

export type ChangeLog = ReturnType<typeof createChangeLog>

/** Records changes of workspaces in two steps, so that none is missing in their logs when a process dies. */
export function createChangeLog(pool: Pick<Pool, 'query'>) {
  return {
    async begin({ id, workspaceId, action, subject, userId, keyId, requestId, at }: BegunChange): Promise<void> {
      const values = [id, workspaceId, action, subject, userId, keyId, requestId, at]
      await pool.query('SELECT begin_change($1, $2, $3, $4, $5, $6, $7, $8)', values)
    },
    /** Seals the change in the log of its workspace, or forgets it when nothing was changed. */
    async end({ id, workspaceId, subject, made }: EndedChange): Promise<void> {
      const values = [id, workspaceId, subject, made === null ? null : JSON.stringify(made)]
      await pool.query('SELECT end_change($1, $2, $3, $4)', values)
    },
  }
}

/** Seals what began before a time and never ended, with an unknown outcome. Resolves with how many there were. */
export async function endLostChanges(pool: Pick<Pool, 'query'>, before: Date): Promise<number> {
  const { rows } = await pool.query<{ count: string }>('SELECT end_lost_changes($1) AS count', [before])
  return Number(rows[0]?.count ?? 0)
}

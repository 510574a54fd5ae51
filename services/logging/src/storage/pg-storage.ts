import type { Pool } from '@ratchet/db/connect-pool'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'

/** Bytes of rows that are not counted by the database itself. */
export interface ExpiringBytes {
  readonly workspaceId: string
  /** The day on which they are deleted, `YYYY-MM-DD`. */
  readonly expiresOn: string
  readonly bytes: number
}

export type Storage = ReturnType<typeof createPgStorage>

export function createPgStorage(pool: Pick<Pool, 'query'>) {
  return {
    /** Counts bytes before they are stored. @throws ServiceError `quota_exceeded` */
    async add({ workspaceId, expiresOn, bytes }: ExpiringBytes): Promise<void> {
      const text = 'SELECT count_stored_bytes($1, $2, $3)'
      await withinQuota(() => pool.query(text, [workspaceId, expiresOn, bytes]))
    },
  }
}

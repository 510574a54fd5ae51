import type { Pool } from '@ratchet/db/connect-pool'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** SQLSTATE of a statement that would store more than the quota of a workspace; see `count_stored_bytes` in the migrations. */
const quotaExceeded = 'RQ001'

/** @throws ServiceError `quota_exceeded` when the workspace would store more than its quota */
export async function withinQuota<T>(store: () => Promise<T>): Promise<T> {
  try {
    return await store()
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== quotaExceeded) throw cause
    const message = 'The workspace stores as many bytes as it may. Delete files or datasets.'
    throw new ServiceError('quota_exceeded', message, { cause })
  }
}

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

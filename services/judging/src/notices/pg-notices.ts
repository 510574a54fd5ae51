import type { Pool } from '@ratchet/db/connect-pool'
import type { JudgingNotice, NoticeStore } from './notice.ts'

interface NoticeRow {
  readonly id: string
  readonly workspace_id: string
  readonly type: JudgingNotice['type']
  readonly data: string
  readonly created_at: Date
}

/** Notices in Postgres. */
export function createPgNotices(pool: Pool): NoticeStore {
  return {
    async oldest(limit) {
      const { rows } = await pool.query<NoticeRow>('SELECT * FROM judging_notice ORDER BY created_at, id LIMIT $1', [
        limit,
      ])
      return rows.map(({ id, workspace_id: workspaceId, type, data, created_at: createdAt }) => ({
        id,
        workspaceId,
        type,
        data: JSON.parse(data),
        createdAt,
      }))
    },
    async delete(ids) {
      await pool.query('DELETE FROM judging_notice WHERE id = ANY($1::uuid[])', [ids])
    },
  }
}

import type { Pool } from '@ratchet/db/connect-pool'
import type { ImportStore } from '../domain/import/import-store.ts'
import { expiryDay } from './partitions.ts'

/** Days, from today, on which a row of the log can expire. */
const maxDays = 92
const dayMs = 86_400_000

/** An import's view of the log in Postgres. */
export function createPgImports(pool: Pick<Pool, 'query'>): ImportStore {
  return {
    async known({ workspaceId, requestIds, entryIds, at }) {
      const days = Array.from({ length: maxDays }, (_, n) => expiryDay(new Date(at.getTime() + n * dayMs)))
      const { rows } = await pool.query<{ id: string }>({
        name: 'logging-known-imports',
        text: knownText,
        values: [workspaceId, requestIds, days, entryIds, at],
      })
      return new Set(rows.map(({ id }) => id))
    },
  }
}

/** Requests are found by the day on which they expire, which may be any. */
const knownText = `
  SELECT request_id AS id FROM exchange
  WHERE expires_on = ANY($3::date[]) AND workspace_id = $1 AND request_id = ANY($2::uuid[]) AND expires_at > $5
  UNION ALL
  SELECT id FROM exchange
  WHERE id = ANY($4::uuid[]) AND workspace_id = $1 AND expires_at > $5`

import type { Pool } from '@ratchet/db/connect-pool'
import { daysOfExpiry } from '../exchanges/expiry-day.ts'
import type { ImportStore } from './import-store.ts'

/** Finds entries of an import in the log in Postgres. */
export function createPgImports(pool: Pick<Pool, 'query'>): ImportStore {
  return {
    async known({ workspaceId, requestIds, entryIds, at }) {
      const { rows } = await pool.query<{ id: string }>({
        name: 'logging-known-imports',
        text: knownText,
        values: [workspaceId, requestIds, daysOfExpiry(at), entryIds, at],
      })
      return new Set(rows.map(({ id }) => id))
    },
  }
}

/** Every day of expiry is listed, because the unique index on requests begins with it. */
const knownText = `
  SELECT request_id AS id FROM exchange
  WHERE expires_on = ANY($3::date[]) AND workspace_id = $1 AND request_id = ANY($2::uuid[]) AND expires_at > $5
  UNION ALL
  SELECT id FROM exchange
  WHERE id = ANY($4::uuid[]) AND workspace_id = $1 AND expires_at > $5`

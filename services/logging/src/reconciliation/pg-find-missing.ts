import type { Pool } from '@ratchet/db/connect-pool'
import type { ChargedExchange, FindMissing } from './reconciliation.ts'

interface MissingRow {
  readonly workspace_id: string
  readonly request_id: string
  readonly day: string
}

/** Finds exchanges that are not in the log in Postgres. */
export function createPgFindMissing(pool: Pick<Pool, 'query'>): FindMissing {
  return async (charged) => {
    const unstored = await run(pool, missingOfDay, charged)
    // A workspace that shortened its retention has exchanges that expire on another day than at first.
    const missing = await run(pool, missingOfAnyDay, unstored)
    return missing.map(({ workspaceId, requestId }) => ({ workspaceId, requestId }))
  }
}

async function run(
  pool: Pick<Pool, 'query'>,
  text: string,
  charged: readonly ChargedExchange[],
): Promise<readonly ChargedExchange[]> {
  if (charged.length === 0) return []
  const columns = [
    charged.map(({ workspaceId }) => workspaceId),
    charged.map(({ requestId }) => requestId),
    charged.map(({ expiresOn }) => expiresOn),
  ]
  const { rows } = await pool.query<MissingRow>(text, columns)
  return rows.map((row) => ({ workspaceId: row.workspace_id, requestId: row.request_id, expiresOn: row.day }))
}

/** $1 workspaces, $2 requests and $3 days of expiry of charges. */
const charges = 'unnest($1::uuid[], $2::uuid[], $3::date[]) AS m(workspace_id, request_id, day)'

const missingOfDay = `
  SELECT m.workspace_id, m.request_id, m.day::text FROM ${charges}
  WHERE NOT EXISTS (
    SELECT 1 FROM exchange x WHERE x.expires_on = m.day AND x.workspace_id = m.workspace_id AND x.request_id = m.request_id
  )`

const missingOfAnyDay = `
  SELECT DISTINCT ON (m.workspace_id, m.request_id) m.workspace_id, m.request_id, m.day::text FROM ${charges}
  WHERE NOT EXISTS (
    SELECT 1 FROM exchange x WHERE x.workspace_id = m.workspace_id AND x.request_id = m.request_id
  )`

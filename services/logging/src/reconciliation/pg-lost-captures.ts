import type { Pool } from '@ratchet/db/connect-pool'
import type { MissingExchange } from './reconciliation.ts'

const addStatement = `
  INSERT INTO lost_capture (workspace_id, day, requests, found_at)
  SELECT workspace_id, $2::timestamptz AT TIME ZONE 'UTC', count(*), $2::timestamptz FROM unnest($1::uuid[]) AS m(workspace_id)
  GROUP BY workspace_id
  ON CONFLICT (workspace_id, day) DO UPDATE SET requests = lost_capture.requests + excluded.requests`

/** Counts, by workspace and day of their discovery, exchanges that did not arrive, so that people are told of them. */
export async function addLostCaptures(
  pool: Pick<Pool, 'query'>,
  missing: readonly MissingExchange[],
  now: Date,
): Promise<void> {
  if (missing.length === 0) return
  await pool.query(addStatement, [missing.map(({ workspaceId }) => workspaceId), now])
}

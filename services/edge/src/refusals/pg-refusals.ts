import type { Pool } from '@ratchet/db/connect-pool'
import type { RefusalCount } from './refusal-counts.ts'

/** Sorted, so that flushes of two edges lock rows in the same order. */
const add = `
INSERT INTO edge_refusal_hour AS h (workspace_id, hour, cause, count, first_at, last_at, last_request_id)
SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[], $7::uuid[])
  AS t(workspace_id, hour, cause, count, first_at, last_at, last_request_id)
ORDER BY workspace_id, hour, cause
ON CONFLICT (workspace_id, hour, cause) DO UPDATE SET count = h.count + excluded.count,
  first_at = least(h.first_at, excluded.first_at), last_at = greatest(h.last_at, excluded.last_at),
  last_request_id = excluded.last_request_id`

/** For as long as inference keeps its own counts. */
const keptDays = 92

export function createPgRefusals(pool: Pick<Pool, 'query'>) {
  return {
    async add(counts: readonly RefusalCount[]): Promise<void> {
      const of = <K extends keyof RefusalCount>(key: K) => counts.map((count) => count[key])
      const values = [
        of('workspaceId'),
        of('hour'),
        of('cause'),
        of('count'),
        of('firstAt'),
        of('lastAt'),
        of('lastRequestId'),
      ]
      await pool.query(add, values)
    },
    async prune(): Promise<void> {
      await pool.query("DELETE FROM edge_refusal_hour WHERE hour < now() - $1::int * interval '1 day'", [keptDays])
    },
  }
}

import type { Pool } from '@ratchet/db/connect-pool'
import type { ModelRequests } from './model-requests.ts'

/** Requests of calls in Postgres. */
export function createPgModelRequests(pool: Pool): ModelRequests {
  return {
    async add({ workspaceId, callId }, requestId) {
      await pool.query(addStatement, [requestId, callId, workspaceId])
    },
    async of({ workspaceId, callId }) {
      const { rows } = await pool.query<RequestRow>(ofStatement, [callId, workspaceId])
      return rows.map(({ request_id: requestId, cost_nano: cost, age_ms: age }) => {
        return { requestId, costNano: cost === null ? null : BigInt(cost), ageMs: Number(age) }
      })
    },
    async price({ workspaceId }, costs) {
      await pool.query(priceStatement, [workspaceId, [...costs.keys()], [...costs.values()]])
    },
  }
}

const addStatement = `
  INSERT INTO call_request (request_id, call_id, workspace_id) VALUES ($1, $2, $3) ON CONFLICT (request_id) DO NOTHING`
const ofStatement = `
  SELECT request_id, cost_nano, extract(epoch FROM now() - requested_at) * 1000 AS age_ms FROM call_request
  WHERE call_id = $1 AND workspace_id = $2 ORDER BY requested_at LIMIT 10000`
const priceStatement = `
  UPDATE call_request r SET cost_nano = c.cost FROM unnest($2::uuid[], $3::bigint[]) AS c(request_id, cost)
  WHERE r.request_id = c.request_id AND r.workspace_id = $1 AND r.cost_nano IS NULL`

interface RequestRow {
  readonly request_id: string
  readonly cost_nano: string | null
  readonly age_ms: string
}

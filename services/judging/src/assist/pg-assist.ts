import type { Pool } from '@ratchet/db/connect-pool'
import type { AssistReads } from './assist-reads.ts'

interface FailRow {
  readonly log_id: string | null
  readonly rationale: string | null
  readonly model: string | null
  readonly messages: string
  readonly response: string
  readonly tools: string | null
}

const failsStatement = `
  SELECT l.log_id, l.rationale, s.model, s.messages, s.response, s.tools
  FROM (
    SELECT DISTINCT ON (item_key) item_key, log_id, rationale, snapshot_id, created_at FROM label
    WHERE workspace_id = $1 AND label = 'fail' AND superseded_by IS NULL
      AND ($2::text IS NULL OR tag = $2) AND ($3::text IS NULL OR segment = $3) AND created_at <= $5
    ORDER BY item_key, (rationale IS NULL), created_at DESC
  ) l JOIN label_snapshot s ON s.id = l.snapshot_id
  ORDER BY (l.rationale IS NULL), l.created_at DESC LIMIT $4`

/** What suggestions are made from, in Postgres. */
export function createPgAssist(pool: Pool): AssistReads {
  return {
    async gradedFails({ workspaceId, tag, segment, until, limit }) {
      const values = [workspaceId, tag ?? null, segment ?? null, limit, until]
      const { rows } = await pool.query<FailRow>(failsStatement, values)
      return rows.map(({ log_id: logId, rationale, model, messages, response, tools }) => ({
        logId,
        rationale,
        exchange: {
          model,
          messages: JSON.parse(messages),
          response: JSON.parse(response),
          tools: tools === null ? null : JSON.parse(tools),
        },
      }))
    },
  }
}

import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'

interface FailRow
  extends Pick<Row<'label'>, 'log_id' | 'rationale'>,
    Pick<Row<'labelSnapshot'>, 'model' | 'messages' | 'response' | 'tools'> {}

const failsStatement = `
  SELECT l.log_id, l.rationale, s.model, s.messages, s.response, s.tools
  FROM (
    SELECT DISTINCT ON (item_key) item_key, log_id, rationale, snapshot_id, created_at FROM label
    WHERE workspace_id = $1 AND unit = 'request' AND label = 'fail' AND superseded_by IS NULL
      AND ($2::text IS NULL OR tag = $2) AND ($3::text IS NULL OR segment = $3) AND created_at <= $5
    ORDER BY item_key, (rationale IS NULL), created_at DESC
  ) l JOIN label_snapshot s ON s.id = l.snapshot_id
  ORDER BY (l.rationale IS NULL), l.created_at DESC LIMIT $4`

interface GradedFail {
  /** UUID; null for a grade of an exchange that is not in the log. */
  readonly logId: string | null
  readonly rationale: string | null
  readonly exchange: JudgedExchange
}

interface GradedFailFilter {
  readonly workspaceId: string
  readonly tag?: string | undefined
  readonly segment?: string | undefined
  /** Later grades are left out, so that a retry reads the same. */
  readonly until: Date
  readonly limit: number
}

export type AssistReads = ReturnType<typeof createPgAssist>

export function createPgAssist(pool: Pool) {
  return {
    /** Exchanges that people failed: those with a rationale first, then the newest. */
    async gradedFails(filter: GradedFailFilter): Promise<readonly GradedFail[]> {
      const { workspaceId, tag, segment, until, limit } = filter
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

import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { createPgItems } from '@ratchet/work-kit/leases/pg-items'
import type { Batch, EndedLine, LeasedLine } from './batch.ts'
import type { LineStore } from './batch-store.ts'

/** Requests of batches in Postgres. */
export function createPgLines(pool: Pool): LineStore {
  const items = createPgItems<LeasedRow, LeasedLine>(
    pool,
    {
      table: 'batch_line',
      requires: { from: 'batch b', where: `b.id = t.batch_id AND b.status = 'in_progress'` },
      leased:
        't.id, t.generation, t.failures, t.batch_id, t.workspace_id, t.custom_id, t.body, b.endpoint, b.headers, b.created_by, b.key_id',
      completed: `state = 'done', status_code = $3, request_id = $4, response = $5, cost_nano = $6, error = $7`,
      deadLettered: `error = 'request_failed'`,
      thenBy: 't.line',
    },
    lineOf,
  )
  return {
    ...items,
    complete: (line, end) =>
      items.complete(
        line,
        'error' in end
          ? [null, null, null, 0, end.error]
          : [end.statusCode, end.requestId, end.response, String(end.costNano), null],
      ),
    async begin({ id, generation, batch }) {
      const { rows } = await pool.query<{ reserved: string; may_run: boolean }>(statements.begin, [
        id,
        generation,
        batch.id,
        batch.workspaceId,
      ])
      return { reservedNano: BigInt(rows[0]?.reserved ?? 0), mayRun: rows[0]?.may_run === true }
    },
    async isOver({ id, workspaceId }) {
      return (await pool.query<{ over: boolean }>(statements.isOver, [id, workspaceId])).rows[0]?.over === true
    },
    async ended({ id, workspaceId }, { isAnswered, after, limit }) {
      const { rows } = await pool.query<EndedRow>(statements.ended, [id, workspaceId, isAnswered, after, limit])
      return rows.map(endedOf)
    },
  }
}

const statements = {
  begin: `WITH begun AS (
      UPDATE batch_line SET begun = true
      WHERE id = $1 AND generation = $2 AND batch_id = $3 AND workspace_id = $4 AND NOT begun RETURNING max_cost_nano
    ), lowered AS (
      UPDATE batch b SET reserved_nano = greatest(b.reserved_nano - begun.max_cost_nano, 0) FROM begun
      WHERE b.id = $3 AND b.workspace_id = $4 RETURNING b.reserved_nano
    )
    SELECT coalesce((SELECT reserved_nano FROM lowered), b.reserved_nano)::text AS reserved, CASE WHEN b.key_id IS NULL
      THEN EXISTS (SELECT FROM live_member m WHERE m.workspace_id = b.workspace_id AND m.user_id = b.created_by)
      ELSE EXISTS (SELECT FROM live_key k WHERE k.workspace_id = b.workspace_id AND k.key_id = b.key_id) END AS may_run
    FROM batch b WHERE b.id = $3 AND b.workspace_id = $4`,

  isOver: `SELECT completed + failed >= total AS over FROM batch WHERE id = $1 AND workspace_id = $2`,

  ended: `SELECT id, line, custom_id, status_code, request_id, response, error FROM batch_line
    WHERE batch_id = $1 AND workspace_id = $2 AND (status_code IS NOT NULL AND status_code = 200) = $3 AND line > $4
    ORDER BY line LIMIT $5`,
}

type EndedRow = Pick<
  Row<'batchLine'>,
  'id' | 'line' | 'custom_id' | 'status_code' | 'request_id' | 'response' | 'error'
>

function endedOf(row: EndedRow): EndedLine {
  const { id, line, custom_id: customId, status_code: statusCode, request_id: requestId, response, error } = row
  return { id, line, customId, statusCode, requestId, response, error }
}

interface LeasedRow
  extends Pick<Row<'batchLine'>, 'id' | 'generation' | 'failures' | 'batch_id' | 'workspace_id' | 'custom_id' | 'body'>,
    Pick<Row<'batch'>, 'endpoint' | 'headers' | 'created_by' | 'key_id'> {}

function lineOf(row: LeasedRow): LeasedLine {
  return {
    id: row.id,
    generation: row.generation,
    failures: row.failures,
    customId: row.custom_id,
    body: row.body,
    batch: {
      id: row.batch_id,
      workspaceId: row.workspace_id,
      endpoint: row.endpoint as Batch['endpoint'],
      headers: JSON.parse(row.headers),
      createdBy: row.created_by,
      keyId: row.key_id,
    },
  }
}

import type { CreateEval } from '@ratchet/contracts/evals'
import { publicId } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { Outbox, OutboxRow } from '@ratchet/work-kit/outbox/publish-outbox'

type DoneRow = Pick<
  Row<'evalRun', { finished_at: Date }>,
  'id' | 'workspace_id' | 'created_by' | 'request' | 'finished_at'
>

/** The `eval.done` events of evals. The row of an eval that is DONE is pending until `told_at` is set. */
export function createPgDoneEvents(pool: Pool): Outbox {
  return {
    async pending(limit, after) {
      const values = [limit, after?.event.timestamp ?? null, after?.id ?? null]
      return (await pool.query<DoneRow>(pendingStatement, values)).rows.map(outboxRow)
    },
    async end(ids, at) {
      await pool.query('UPDATE eval_run SET told_at = $2 WHERE id = ANY($1::uuid[]) AND told_at IS NULL', [ids, at])
    },
  }
}

const pendingStatement = `
  SELECT id, workspace_id, created_by, request, finished_at FROM eval_run
  WHERE status = 'DONE' AND told_at IS NULL
    AND ($2::timestamptz IS NULL OR (finished_at, id) > ($2, $3::uuid))
  ORDER BY finished_at, id LIMIT $1`

function outboxRow({ id, workspace_id, created_by, request, finished_at }: DoneRow): OutboxRow {
  const { name } = JSON.parse(request) as CreateEval
  return {
    id,
    event: {
      id: deterministicId('eval-done', id),
      type: 'eval.done',
      timestamp: finished_at,
      // The event only names the eval. A receiver reads the eval with its own key.
      data: { object: 'eval', id: publicId('eval', id), name, status: 'DONE' },
      identity: workerIdentity(workspace_id, created_by),
    },
  }
}

import { maxUnfinishedBatches } from '@ratchet/contracts/batches'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { createPgRunLeases } from '@ratchet/work-kit/leases/pg-run-leases'
import type { Batch, LeasedBatch } from './batch.ts'
import type { BatchStore } from './batch-store.ts'

/** Batches in Postgres. */
export function createPgBatches(pool: Pool): BatchStore {
  const leases = createPgRunLeases<BatchRow, LeasedBatch>(
    pool,
    {
      table: 'batch',
      open: `(r.status IN ('in_progress', 'finalizing', 'cancelling') OR r.status = 'validating' AND r.created_at < now() - interval '15 minutes')`,
      ready: `(r.status <> 'in_progress' OR r.expires_at <= now()
        OR r.completed + r.failed >= r.total)`,
    },
    (row) => ({ ...batchOf(row), generation: row.generation, attempts: row.attempts }),
  )
  const one = async (text: string, values: readonly unknown[]) => {
    const { rows } = await pool.query<BatchRow>(text, [...values])
    return rows[0] === undefined ? null : batchOf(rows[0])
  }
  return {
    ...leases,
    create: ({ id, workspaceId, endpoint, metadata, headers, inputFileId, createdBy, keyId, createdAt, expiresAt }) =>
      inTransaction(pool, async (client) => {
        const texts = [metadata === null ? null : JSON.stringify(metadata), JSON.stringify(headers)]
        const by = [inputFileId, createdBy, keyId, createdAt, expiresAt, maxUnfinishedBatches]
        await client.query(statements.takeTurn, [workspaceId])
        const { rows } = await client.query<BatchRow>(statements.create, [id, workspaceId, endpoint, ...texts, ...by])
        return rows[0] === undefined ? null : batchOf(rows[0])
      }),
    async addLines({ id, workspaceId }, requests) {
      await pool.query(statements.addLines, [
        id,
        workspaceId,
        requests.map((each) => each.id),
        requests.map(({ line }) => line),
        requests.map(({ customId }) => customId),
        requests.map(({ body }) => body),
        requests.map(({ maxCostNano }) => String(maxCostNano)),
      ])
    },
    async begin({ id, workspaceId }, { model, at }) {
      const begun = await one(statements.begin, [id, workspaceId, model, at])
      if (begun === null) throw new Error('the batch was ended while its file was checked')
      return begun
    },
    fail: ({ id, workspaceId }, { errors, at }) =>
      inTransaction(pool, async (client) => {
        await client.query(statements.deleteLines, [id, workspaceId])
        const { rows } = await client.query<BatchRow>(statements.fail, [id, workspaceId, JSON.stringify(errors), at])
        return rows[0] === undefined ? null : batchOf(rows[0])
      }),
    async discard({ id, workspaceId }) {
      await pool.query(statements.discard, [id, workspaceId])
    },
    get: ({ id, workspaceId }) => one(statements.get, [id, workspaceId]),
    async list({ workspaceId, limit, after }) {
      return (await pool.query<BatchRow>(statements.list, [workspaceId, limit, after])).rows.map(batchOf)
    },
    async cancel({ id, workspaceId }, at) {
      const { rowCount } = await pool.query(statements.cancel, [id, workspaceId, at])
      return rowCount === 0 ? null : one(statements.get, [id, workspaceId])
    },
    async endPending({ id, workspaceId }, error) {
      await pool.query(statements.endPending, [id, workspaceId, error])
      const { rows } = await pool.query<{ busy: boolean }>(statements.isBusy, [id, workspaceId])
      return { isBusy: rows[0]?.busy === true }
    },
    async finalize({ id, generation }, at) {
      return (await pool.query(statements.finalize, [id, generation, at])).rowCount === 1
    },
    finish: ({ id, generation }, { status, outputFileId, errorFileId }, at) =>
      inTransaction(pool, async (client) => {
        const values = [id, generation, status, outputFileId, errorFileId, at]
        const { rows } = await client.query<{ workspace_id: string }>(statements.finish, values)
        if (rows[0] === undefined) return false
        await client.query(statements.deleteLines, [id, rows[0].workspace_id])
        return true
      }),
  }
}

const statements = {
  // Creations of a workspace wait for each other, so that none of them is one too many.
  takeTurn: `SELECT pg_advisory_xact_lock(hashtextextended('batch ' || $1::text, 0))`,

  create: `INSERT INTO batch
      (id, workspace_id, endpoint, metadata, headers, input_file_id, status, created_by, key_id, created_at, expires_at)
    SELECT $1::uuid, $2::uuid, $3, $4, $5, $6, 'validating', $7::uuid, $8::uuid, $9::timestamptz, $10::timestamptz
    WHERE (SELECT count(*) FROM batch WHERE workspace_id = $2::uuid AND ended_at IS NULL) < $11::int RETURNING *`,

  addLines: `INSERT INTO batch_line (id, batch_id, workspace_id, line, custom_id, body, max_cost_nano)
    SELECT l.id, $1::uuid, $2::uuid, l.line, l.custom_id, l.body, l.max_cost
    FROM unnest($3::uuid[], $4::int[], $5::text[], $6::text[], $7::bigint[]) AS l(id, line, custom_id, body, max_cost)`,

  begin: `UPDATE batch b SET status = 'in_progress', in_progress_at = $4, model = $3, total = l.total, reserved_nano = l.cost
    FROM (SELECT count(*)::int AS total, coalesce(sum(max_cost_nano), 0) AS cost FROM batch_line
      WHERE batch_id = $1 AND workspace_id = $2) l
    WHERE b.id = $1 AND b.workspace_id = $2 AND b.status = 'validating' RETURNING b.*`,

  fail: `UPDATE batch SET status = 'failed', errors = $3, ended_at = $4, leased_until = NULL
    WHERE id = $1 AND workspace_id = $2 AND status = 'validating' RETURNING *`,

  discard: `DELETE FROM batch WHERE id = $1 AND workspace_id = $2 AND status = 'validating'`,

  deleteLines: 'DELETE FROM batch_line WHERE batch_id = $1 AND workspace_id = $2',

  get: `SELECT b.* FROM batch b WHERE b.id = $1 AND b.workspace_id = $2`,

  list: `SELECT b.* FROM batch b WHERE b.workspace_id = $1 AND ($3::uuid IS NULL
      OR (b.created_at, b.id) < (SELECT created_at, id FROM batch WHERE id = $3 AND workspace_id = $1))
    ORDER BY b.created_at DESC, b.id DESC LIMIT $2`,

  cancel: `UPDATE batch SET status = 'cancelling', cancelling_at = $3
    WHERE id = $1 AND workspace_id = $2 AND status = 'in_progress' RETURNING id`,

  endPending: `UPDATE batch_line SET state = 'done', error = $3, last_error = NULL
    WHERE batch_id = $1 AND workspace_id = $2 AND state = 'pending'`,

  isBusy: `SELECT EXISTS (SELECT 1 FROM batch_line
    WHERE batch_id = $1 AND workspace_id = $2 AND state IN ('pending', 'leased')) AS busy`,

  finalize: `UPDATE batch SET status = CASE WHEN status = 'in_progress' THEN 'finalizing' ELSE status END,
      finalizing_at = coalesce(finalizing_at, $3), reserved_nano = 0
    WHERE id = $1 AND generation = $2 AND ended_at IS NULL`,

  finish: `UPDATE batch b SET status = $3, output_file_id = $4, error_file_id = $5, ended_at = $6, leased_until = NULL,
      completed = l.completed, failed = l.failed, cost_nano = l.cost, reserved_nano = 0
    FROM (SELECT count(*) FILTER (WHERE status_code = 200) AS completed,
        count(*) FILTER (WHERE status_code <> 200 OR error IS NOT NULL) AS failed, coalesce(sum(cost_nano), 0) AS cost
      FROM batch_line WHERE batch_id = $1) l
    WHERE b.id = $1 AND b.generation = $2 AND b.ended_at IS NULL RETURNING b.workspace_id`,
}

type BatchRow = Row<'batch', { cost_nano: string; reserved_nano: string }>

function batchOf(row: BatchRow): Batch {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    endpoint: row.endpoint as Batch['endpoint'],
    model: row.model,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    headers: JSON.parse(row.headers),
    inputFileId: row.input_file_id,
    status: row.status as Batch['status'],
    errors: row.errors === null ? null : JSON.parse(row.errors),
    counts: { total: row.total, completed: row.completed, failed: row.failed },
    costNano: BigInt(row.cost_nano),
    reservedNano: BigInt(row.reserved_nano),
    outputFileId: row.output_file_id,
    errorFileId: row.error_file_id,
    createdBy: row.created_by,
    keyId: row.key_id,
    createdAt: row.created_at,
    inProgressAt: row.in_progress_at,
    expiresAt: row.expires_at,
    finalizingAt: row.finalizing_at,
    cancellingAt: row.cancelling_at,
    endedAt: row.ended_at,
  }
}

import { createHash, randomUUID } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import { runItemId } from '../labels/grading-frame.ts'

export interface ReportedGrade {
  readonly label: Verdict
  /** UUID; null for a grade of the exchange as a whole. */
  readonly criterionId: string | null
  readonly workspaceId: string
  readonly at: Date
  /** Text of the answer. Grades of the same answer belong to one item. */
  readonly answer?: string
  readonly grader?: string
  readonly tag?: string
  readonly segment?: string
  readonly probability?: number
  /** `random` when absent, or `judged` with a probability. A draw by these two is put on record. */
  readonly method?: string
  /** True for a grade that only states how it was drawn. */
  readonly isOnlyStated?: boolean
  /** UUID of the exchange; by default another one for each grade. */
  readonly logId?: string | null
  /** Makes it the grade of a run. */
  readonly traceId?: string
}

/** Inserts a grade with its snapshot. Returns its id. */
export async function addGrade(operator: Pool, reported: ReportedGrade): Promise<string> {
  const { workspaceId, answer = randomUUID(), grader = 'ann', probability } = reported
  const logId = reported.logId ?? randomUUID()
  const method = reported.method ?? (probability === undefined ? 'random' : 'judged')
  const messages = JSON.stringify([{ role: 'user', content: 'Hello?' }])
  const response = JSON.stringify({ role: 'assistant', content: answer })
  const sha256 = createHash('sha256')
    .update(messages + response)
    .digest('hex')
  const snapshot = await operator.query<{ id: string }>(
    `INSERT INTO label_snapshot (id, workspace_id, sha256, messages, response) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (workspace_id, sha256) DO UPDATE SET sha256 = excluded.sha256 RETURNING id`,
    [randomUUID(), workspaceId, sha256, messages, response],
  )
  const id = randomUUID()
  const { traceId = null } = reported
  const key = [workspaceId, reported.criterionId, traceId === null ? sha256 : `trace ${traceId}`, grader]
  const before = await operator.query<{ id: string }>(
    `SELECT id FROM label WHERE workspace_id = $1 AND criterion_id IS NOT DISTINCT FROM $2 AND item_key = $3
       AND grader_id = $4 AND superseded_by IS NULL`,
    key,
  )
  await operator.query('UPDATE label SET superseded_by = $2 WHERE id = $1', [before.rows[0]?.id ?? null, id])
  await operator.query(
    `INSERT INTO label (workspace_id, criterion_id, item_key, grader_id, id, label, source, blind, snapshot_id, tag,
       segment, sampling_method, sampling_probability, created_by, created_at, log_id,
       trace_id, unit)
     VALUES ($1, $2, $3, $4, $5, $6, 'api', true, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      ...key,
      ...[id, reported.label, snapshot.rows[0]?.id, reported.tag ?? null, reported.segment ?? 'none'],
      ...[method, probability ?? (method === 'picked' ? null : 1), workspaceId, reported.at],
      ...[traceId === null ? logId : null, traceId, traceId === null ? 'request' : 'trace'],
    ],
  )
  if (reported.isOnlyStated !== true && (method === 'random' || method === 'judged')) {
    await recordDraw(operator, { ...reported, logId, kind: method })
  }
  return id
}

interface Draw extends Pick<ReportedGrade, 'workspaceId' | 'criterionId' | 'at' | 'probability'> {
  readonly kind: 'random' | 'judged'
  /** UUID; not of a run. */
  readonly logId: string | null
  /** Of a run. */
  readonly traceId?: string | null
}

/**
 * Offers an exchange or a run from an old frame of its judge, or of each judge of the workspace. The frame gets as many other
 * items as the probability requires.
 */
export async function recordDraw(operator: Pool, draw: Draw): Promise<void> {
  const { workspaceId, criterionId, kind, probability = 1, logId, traceId = null, at } = draw
  const frames = await operator.query<{ id: string }>(
    `INSERT INTO grading_frame (id, workspace_id, criterion_id, kind, instrument, ordinal, created_at)
     SELECT gen_random_uuid(), $1, id, $3, instrument, 0, '2000-01-01' FROM criterion
     WHERE workspace_id = $1 AND ($2::uuid IS NULL OR id = $2)
     ON CONFLICT (criterion_id, kind, ordinal) DO UPDATE SET ordinal = 0 RETURNING id`,
    [workspaceId, criterionId, kind],
  )
  const itemId = traceId === null ? logId : runItemId(workspaceId, traceId)
  const stratum = kind === 'random' ? 'all' : `p${probability}`
  const others = kind === 'random' ? 0 : Math.round(1 / probability) - 1
  for (const { id } of frames.rows) {
    await operator.query(
      `INSERT INTO grading_frame_item (frame_id, workspace_id, log_id, stratum, offered_at, trace_id)
       SELECT $1, $2, CASE WHEN n = 0 THEN $3::uuid ELSE gen_random_uuid() END, $4,
         CASE WHEN n = 0 THEN $5::timestamptz END,
         CASE WHEN n = 0 THEN $7::text WHEN $7::text IS NOT NULL THEN gen_random_uuid()::text END
       FROM generate_series(0, $6) AS n ON CONFLICT DO NOTHING`,
      [id, workspaceId, itemId, stratum, at, others, traceId],
    )
  }
}

import { createHash, randomUUID } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'

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
  /** `random` when absent, or `balanced` with a probability. */
  readonly method?: string
  /** UUID of the exchange; absent for one that was never logged. */
  readonly logId?: string | null
}

/** Inserts a grade with its snapshot. Returns its id. */
export async function addGrade(operator: Pool, reported: ReportedGrade): Promise<string> {
  const { workspaceId, answer = randomUUID(), grader = 'ann', probability } = reported
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
  const key = [workspaceId, reported.criterionId, sha256, grader]
  const before = await operator.query<{ id: string }>(
    `SELECT id FROM label WHERE workspace_id = $1 AND criterion_id IS NOT DISTINCT FROM $2 AND item_key = $3
       AND grader_id = $4 AND superseded_by IS NULL`,
    key,
  )
  await operator.query('UPDATE label SET superseded_by = $2 WHERE id = $1', [before.rows[0]?.id ?? null, id])
  await operator.query(
    `INSERT INTO label (workspace_id, criterion_id, item_key, grader_id, id, label, source, blind, snapshot_id, tag,
       segment, sampling_method, sampling_probability, created_by, created_at, log_id)
     VALUES ($1, $2, $3, $4, $5, $6, 'api', true, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...key,
      ...[id, reported.label, snapshot.rows[0]?.id, reported.tag ?? null, reported.segment ?? 'none'],
      ...[
        reported.method ?? (probability === undefined ? 'random' : 'balanced'),
        probability ?? (reported.method === 'picked' ? null : 1),
        workspaceId,
        reported.at,
      ],
      reported.logId ?? null,
    ],
  )
  return id
}

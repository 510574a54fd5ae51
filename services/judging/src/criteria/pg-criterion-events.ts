import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { CriterionKey, CriterionWriter } from './criterion.ts'
import type { CriterionFields } from './criterion-fields.ts'

export type CriterionEventKind = 'create' | 'update' | 'delete'

export interface NewCriterionEvent {
  readonly kind: CriterionEventKind
  readonly before: CriterionFields | null
  readonly after: CriterionFields | null
  readonly at: Date
  readonly by: CriterionWriter | undefined
}

/** Adds a row to the audit, in the transaction of the change that it describes. */
export async function insertCriterionEvent(
  client: PoolClient,
  { workspaceId, id }: CriterionKey,
  { kind, before, after, at, by }: NewCriterionEvent,
): Promise<void> {
  const jsonOf = (fields: CriterionFields | null) => (fields === null ? null : JSON.stringify(fields))
  await client.query(insertStatement, [
    workspaceId,
    id,
    kind,
    by?.userId ?? null,
    by?.keyId ?? null,
    by?.sessionId ?? null,
    by?.requestId ?? null,
    jsonOf(before),
    jsonOf(after),
    at,
  ])
}

const insertStatement = `
  INSERT INTO criterion_event (id, workspace_id, criterion_id, kind, user_id, key_id, session_id, request_id, before, after,
    created_at)
  VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

export interface CriterionEventFilter {
  readonly workspaceId: string
  /** UUID; null for all judges. */
  readonly criterionId: string | null
  readonly limit: number
  readonly offset: number
}

export type CriterionEventRow = Row<'criterionEvent', { kind: CriterionEventKind }>

export type CriterionEvents = ReturnType<typeof createPgCriterionEvents>

/** The audit of judges. */
export function createPgCriterionEvents(pool: Pool) {
  return {
    /** Newest first. */
    async list({ workspaceId, criterionId, limit, offset }: CriterionEventFilter) {
      const where = 'workspace_id = $1 AND ($2::uuid IS NULL OR criterion_id = $2)'
      const key = [workspaceId, criterionId]
      const counted = await pool.query<{ total: number }>(
        `SELECT count(*)::int AS total FROM criterion_event WHERE ${where}`,
        key,
      )
      const page = `SELECT * FROM criterion_event WHERE ${where} ORDER BY position DESC LIMIT $3 OFFSET $4`
      const { rows } = await pool.query<CriterionEventRow>(page, [...key, limit, offset])
      return { total: counted.rows[0]?.total ?? 0, events: rows }
    },
  }
}

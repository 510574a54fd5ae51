import type { AuditAction } from '@ratchet/contracts/dashboard/audit'
import { readAuditLog } from '@ratchet/db/audit-log'
import type { Pool } from '@ratchet/db/connect-pool'
import type { DashboardDb, DashboardTransaction } from '@ratchet/db/dashboard-client'
import type { Act, Change } from './act.ts'

/** Writes the row of the audit, in the transaction of the change. */
export async function recordChange(
  tx: Pick<DashboardTransaction, 'auditEvent'>,
  { at, ...act }: Act,
  { action, subject, before = null, after = null }: Change,
): Promise<void> {
  const data = { ...act, action, subject, before: textOf(before), after: textOf(after), createdAt: at }
  await tx.auditEvent.create({ data })
}

function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

export interface AuditFilter {
  readonly workspaceId: string
  readonly actor?: string | undefined
  readonly action?: AuditAction | undefined
  /** A part of it. */
  readonly subject?: string | undefined
  /** Id of the last event of the page before. */
  readonly after?: string | undefined
  readonly limit: number
}

/** A row of the audit of the dashboard, of judges, of aliases, or of payments. */
export interface AuditRow {
  readonly id: string
  readonly createdAt: Date
  readonly action: AuditAction
  readonly userId: string | null
  readonly keyId: string | null
  readonly subject: string
  readonly before: string | null
  readonly after: string | null
  readonly requestId: string | null
}

/** By time, then by id: ids of different tables have no common order. */
const listStatement = `
  SELECT id, created_at AS "createdAt", action, user_id AS "userId", key_id AS "keyId", subject, before, after,
    request_id AS "requestId"
  FROM workspace_audit
  WHERE workspace_id = $1 AND ($2::uuid IS NULL OR user_id = $2) AND ($3::text IS NULL OR action = $3)
    AND ($4::text IS NULL OR strpos(lower(subject), lower($4)) > 0)
    AND ($5::uuid IS NULL
      OR (created_at, id) < (SELECT created_at, id FROM workspace_audit WHERE workspace_id = $1 AND id = $5))
  ORDER BY created_at DESC, id DESC LIMIT $6`

export type AuditLog = ReturnType<typeof createPgAudit>

export function createPgAudit(pool: Pick<Pool, 'query'>, db: Pick<DashboardDb, 'user'>) {
  return {
    /** The whole log, oldest first. */
    sealed: (workspaceId: string) => readAuditLog(pool, workspaceId),
    /** Newest first, one more than the limit when there are more. */
    async list({ workspaceId, actor, action, subject, after, limit }: AuditFilter) {
      const values = [workspaceId, actor ?? null, action ?? null, subject ?? null, after ?? null, limit + 1]
      const { rows: events } = await pool.query<AuditRow>(listStatement, values)
      const ids = [...new Set(events.flatMap(({ userId }) => userId ?? []))]
      const select = { id: true, name: true, email: true } as const
      const actors = await db.user.findMany({ where: { id: { in: ids } }, select })
      return { events, actors: new Map(actors.map((user) => [user.id, user])) }
    },
  }
}

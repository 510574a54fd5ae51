import type { Pool } from '@ratchet/db/connect-pool'
import type { EventNotice } from './event-mails.ts'
import type { CapNotice, OwnerNotice, OwnerNotices, WalletNotice } from './owner-mails.ts'

type Queries = Pick<Pool, 'query'>

interface WalletRow extends OwnerNotice {
  readonly available: string
  readonly threshold: string
}

export function createPgWalletNotices(pool: Queries): OwnerNotices<WalletNotice> {
  const source = { table: 'wallet_notice', view: 'wallet_low', subject: 'workspace_id' } as const
  const facts = 'l.available, l.threshold'
  return createPgOwnerNotices(pool, { ...source, facts }, ({ available, threshold, ...notice }: WalletRow) => ({
    ...notice,
    availableNano: BigInt(available),
    thresholdNano: BigInt(threshold),
  }))
}

interface CapRow extends OwnerNotice {
  readonly judge: string
  readonly cap: string
}

export function createPgCapNotices(pool: Queries): OwnerNotices<CapNotice> {
  const source = { table: 'cap_notice', view: 'criterion_cap_reached', subject: 'criterion_id' } as const
  const facts = 'l.name AS judge, l.cap'
  return createPgOwnerNotices(pool, { ...source, facts }, ({ cap, ...notice }: CapRow) => ({
    ...notice,
    capNano: BigInt(cap),
  }))
}

export function createPgEventNotices(pool: Queries): OwnerNotices<EventNotice> {
  const source = { table: 'event_notice', view: 'workspace_event', subject: 'event_id' } as const
  const facts = 'l.kind, l.name, l.criterion_id AS "judgeId", l.requests'
  const recipient = "CASE WHEN l.for_user IS NULL THEN m.role = 'owner' ELSE m.user_id = l.for_user END"
  return createPgOwnerNotices(pool, { ...source, facts, recipient }, (row: EventNotice) => row)
}

interface NoticeSource {
  /** Where mails are noted. */
  readonly table: 'wallet_notice' | 'cap_notice' | 'event_notice'
  /** The view of what happened. */
  readonly view: 'wallet_low' | 'criterion_cap_reached' | 'workspace_event'
  /** The column, of both, of what it happened to. */
  readonly subject: 'workspace_id' | 'criterion_id' | 'event_id'
  /** Columns of the view for the mail. */
  readonly facts: string
  /** Condition on the membership; by default owners get the mail. */
  readonly recipient?: string
}

const isOwner = "m.role = 'owner'"

function createPgOwnerNotices<Row extends OwnerNotice, Notice extends OwnerNotice>(
  pool: Queries,
  source: NoticeSource,
  noticeOf: (row: Row) => Notice,
): OwnerNotices<Notice> {
  const { table, subject } = source
  const [note, take] = [noteStatement(source), takeStatement(source)]
  const end = `UPDATE ${table} SET sent_at = $5 WHERE workspace_id = $1 AND ${subject} = $2 AND changed_at = $3 AND user_id = $4`
  const sweep = `DELETE FROM ${table} WHERE changed_at < $1::timestamptz - interval '7 days'`
  return {
    async note(now) {
      await pool.query(note, [now])
      await pool.query(sweep, [now])
    },
    async take(now) {
      const [row] = (await pool.query<Row>(take, [now])).rows
      return row === undefined ? null : noticeOf(row)
    },
    async end({ workspaceId, subjectId, changedAt, userId }, now) {
      await pool.query(end, [workspaceId, subjectId, changedAt, userId, now])
    },
  }
}

function noteStatement({ table, view, subject, recipient = isOwner }: NoticeSource): string {
  const columns = [...new Set(['workspace_id', subject])]
  return `
    INSERT INTO ${table} (${columns.join(', ')}, changed_at, user_id, due_at)
    SELECT ${columns.map((column) => `l.${column}`).join(', ')}, l.changed_at, m.user_id, $1::timestamptz
    FROM ${view} l JOIN membership m ON m.workspace_id = l.workspace_id AND ${recipient}
    WHERE l.changed_at > $1::timestamptz - interval '1 day'
    ON CONFLICT DO NOTHING`
}

/** Each attempt waits twice as long as the one before. A process that died leaves its mail to the others. */
function takeStatement({ table, view, subject, facts, recipient = isOwner }: NoticeSource): string {
  return `
    WITH due AS (
      SELECT n.workspace_id AS "workspaceId", n.${subject} AS "subjectId", n.changed_at AS "changedAt",
        n.user_id AS "userId", u.email, w.slug, w.name AS workspace, ${facts}
      FROM ${table} n
      JOIN ${view} l ON l.${subject} = n.${subject} AND l.changed_at = n.changed_at
      JOIN workspace w ON w.id = n.workspace_id AND w.disabled_at IS NULL
      JOIN app_user u ON u.id = n.user_id AND u.disabled_at IS NULL
      JOIN membership m ON m.workspace_id = n.workspace_id AND m.user_id = n.user_id AND ${recipient}
      WHERE n.sent_at IS NULL AND n.due_at <= $1::timestamptz AND n.attempts < 8
      ORDER BY n.due_at LIMIT 1 FOR UPDATE OF n SKIP LOCKED
    )
    UPDATE ${table} n SET attempts = n.attempts + 1, due_at = $1::timestamptz + interval '1 minute' * 2 ^ n.attempts
    FROM due WHERE n.${subject} = due."subjectId" AND n.changed_at = due."changedAt" AND n.user_id = due."userId"
    RETURNING due.*`
}

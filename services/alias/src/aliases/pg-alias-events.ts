import type { AliasEventKind, AliasSettings } from '@ratchet/contracts/aliases'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { Model, Row } from '@ratchet/db/row'
import type { StoredAliasEvent } from './alias.ts'
import { noteAdoptions } from './pg-adoptions.ts'
import { type AliasDatabase, jsonOf, parsed } from './pg-alias-row.ts'

type HistoryRow = Pick<Row<'aliasEvent', { after: string }>, 'after' | 'created_at'>

type DeletedRow = Pick<Row<'aliasEvent', { before: string }>, 'alias_id' | 'before' | 'kind'>

export interface AliasEventFilter {
  readonly workspaceId: string
  /** Of one alias; absent for all. */
  readonly name?: string
  readonly kind?: AliasEventKind | undefined
  readonly limit: number
  readonly offset: number
}

/** Settings, and the time from which they were in force. */
export interface PastSettings {
  readonly settings: AliasSettings
  readonly from: Date
}

export type AliasEvents = ReturnType<typeof createPgAliasEvents>

/** The audit of aliases in Postgres. */
export function createPgAliasEvents({ pool, clients }: AliasDatabase) {
  return {
    async list({ workspaceId, name, kind, limit, offset }: AliasEventFilter) {
      const { aliasEvent } = clients(workspaceId)
      const where = { ...(name === undefined ? {} : { aliasName: name }), ...whereOf(kind) }
      const page = { where, orderBy: { position: 'desc' }, take: limit, skip: offset } as const
      const [total, found] = await Promise.all([aliasEvent.count({ where }), aliasEvent.findMany(page)])
      const events = found.map(eventOf)
      return { total, events, names: await namesOf(pool, workspaceId, events) }
    },
    /** Settings that were in force at some time since, the oldest first. */
    async history(aliasId: string, since: Date): Promise<readonly PastSettings[]> {
      const { rows } = await pool.query<HistoryRow>(historyStatement, [aliasId, since])
      return rows.map(({ after, created_at: from }) => ({ settings: JSON.parse(after) as AliasSettings, from }))
    },
    /** The alias that last had a name, if it was deleted since. */
    async lastDeleted({ workspaceId, name }: { readonly workspaceId: string; readonly name: string }, since: Date) {
      const { rows } = await pool.query<DeletedRow>(deletedStatement, [workspaceId, name, since])
      const [row] = rows
      if (row?.kind !== 'delete') return null
      return { id: row.alias_id, settings: JSON.parse(row.before) as AliasSettings }
    },
  }
}

/** Earlier releases called the creation of an alias a repoint too. */
function whereOf(kind: AliasEventKind | undefined) {
  if (kind === undefined) return {}
  if (kind === 'created') return { OR: [{ kind }, { kind: 'repoint' as const, before: null }] }
  return kind === 'repoint' ? { kind, before: { not: null } } : { kind }
}

/** The newest event of a name, if it is a deletion and not older. */
const deletedStatement = `
  SELECT alias_id, before, kind FROM alias_event WHERE workspace_id = $1 AND alias_name = $2 AND created_at >= $3
  ORDER BY position DESC LIMIT 1`

/** The names of the people who act in these events and are members of the workspace, by user id. */
async function namesOf(pool: Pool, workspaceId: string, events: readonly StoredAliasEvent[]) {
  const ids = new Set(events.flatMap(({ actor }) => (actor.type === 'user' ? [actor.userId] : [])))
  const text = 'SELECT user_id, name FROM workspace_person WHERE workspace_id = $1 AND user_id = ANY($2::uuid[])'
  const { rows } = await pool.query<{ user_id: string; name: string }>(text, [workspaceId, [...ids]])
  return new Map(rows.map(({ user_id: id, name }) => [id, name]))
}

/** What was written since, and the last settings before it. */
const historyStatement = `
  (SELECT after, created_at, position FROM alias_event WHERE alias_id = $1 AND after IS NOT NULL AND created_at < $2
    ORDER BY position DESC LIMIT 1)
  UNION ALL
  (SELECT after, created_at, position FROM alias_event WHERE alias_id = $1 AND after IS NOT NULL AND created_at >= $2)
  ORDER BY position`

/** Adds a row to the audit, and notes adopted model versions, in the transaction of the change that it describes. */
export async function insertEvent(client: PoolClient, event: StoredAliasEvent): Promise<void> {
  const { actor } = event
  const isUser = actor.type === 'user'
  await client.query(insertStatement, [
    event.id,
    event.workspaceId,
    event.aliasId,
    event.aliasName,
    event.kind,
    isUser ? actor.userId : null,
    isUser ? actor.keyId : null,
    isUser ? actor.requestId : null,
    jsonOf(event.before),
    jsonOf(event.after),
    jsonOf(event.evidence),
    event.reason,
    event.createdAt,
  ])
  await noteAdoptions(client, event)
}

const insertStatement = `
  INSERT INTO alias_event (id, workspace_id, alias_id, alias_name, kind, user_id, key_id, request_id, before, after,
    evidence, reason, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT (id) DO NOTHING`

function eventOf({ userId, keyId, requestId, ...event }: Model<'aliasEvent'>): StoredAliasEvent {
  return {
    id: event.id,
    workspaceId: event.workspaceId,
    aliasId: event.aliasId,
    aliasName: event.aliasName,
    kind: event.kind === 'repoint' && event.before === null ? 'created' : event.kind,
    actor: userId === null ? { type: 'gate' } : { type: 'user', userId, keyId, requestId: requestId ?? '' },
    before: parsed<AliasSettings>(event.before),
    after: parsed<AliasSettings>(event.after),
    evidence: parsed<Readonly<Record<string, unknown>>>(event.evidence),
    reason: event.reason,
    createdAt: event.createdAt,
  }
}

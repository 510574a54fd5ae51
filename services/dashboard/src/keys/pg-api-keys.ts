import type { ApiKey } from '@ratchet/contracts/dashboard/keys'
import { changeKeys } from '@ratchet/db/change-keys'
import type { DashboardDb, DashboardTransaction } from '@ratchet/db/dashboard-client'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { Act } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'
import { lockMember } from '../members/pg-members.ts'
import { asUnconfirmed } from '../members/pg-unconfirmed.ts'
import { differenceOf } from '../settings/difference.ts'
import { exceededKeys, shownKeys } from './key-limits.ts'

export interface KeyScope {
  readonly workspaceId: string
  /** Null for all keys of the workspace. */
  readonly userId: string | null
}

export interface NewKey {
  readonly id: string
  readonly name: string
  readonly hash: Uint8Array<ArrayBuffer>
  readonly display: string
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  readonly expiresAt: Date | null
  readonly allowedModels: readonly string[]
}

export type KeyChanges = Partial<
  Pick<NewKey, 'name' | 'requestsPerMinute' | 'tokensPerMinute' | 'expiresAt' | 'allowedModels'>
>

export type ApiKeyStore = ReturnType<typeof createPgApiKeys>

export function createPgApiKeys(db: DashboardDb) {
  return {
    /** Those in force, and the ones that were revoked last. */
    list: (scope: KeyScope) => list(db, whereIn(scope)),
    /** Null when the scope has no such key. */
    async find(scope: KeyScope, id: string): Promise<ApiKey | null> {
      return (await list(db, { ...whereIn(scope), id }))[0] ?? null
    },
    /** @returns why the key was not created; null when it was */
    create: (act: Act, key: NewKey): Promise<string | null> => db.$transaction((tx) => create(tx, act, key)),
    /**
     * False when the scope has no such key. Returns when every edge knows the expiry; limits and models are no right of edges.
     */
    change: (act: Act, id: string, scope: KeyScope, changes: KeyChanges): Promise<boolean> => {
      const save = () => db.$transaction((tx) => change(tx, act, { id, scope, changes }))
      return changes.expiresAt === undefined ? save() : asUnconfirmed(changeKeys(db, save))
    },
    /**
     * Revokes a key, and returns when every request that begins is refused. A key that is revoked already stays so.
     * False when the scope has no such key.
     */
    revoke: (act: Act, id: string, scope: KeyScope): Promise<boolean> =>
      asUnconfirmed(
        changeKeys(db, () =>
          db.$transaction(async (tx) => {
            const key = await tx.apiKey.findFirst({ where: { id, ...whereIn(scope) } })
            if (key === null) return false
            const where = { id, ...whereIn(scope), revokedAt: null }
            const { count } = await tx.apiKey.updateMany({ where, data: { revokedAt: act.at } })
            const { name, display } = key
            if (count > 0)
              await recordChange(tx, act, { action: 'key.revoked', subject: id, before: { name, display } })
            return true
          }),
        ),
      ),
  }
}

/** Keys of a workspace are created one after the other, so that concurrent requests cannot exceed a maximum. */
async function create(
  tx: DashboardTransaction & Pick<DashboardDb, '$queryRaw'>,
  act: Act,
  key: NewKey,
): Promise<string | null> {
  const { workspaceId, userId, at: createdAt } = act
  await lockMember(tx, { workspaceId, userId })
  const since = new Date(createdAt.getTime() - dayMs)
  const exceeded = exceededKeys({
    ofWorkspace: await tx.apiKey.count({ where: { ...whereIn({ workspaceId, userId: null }), revokedAt: null } }),
    ofUser: await tx.apiKey.count({ where: { workspaceId, userId, revokedAt: null } }),
    ofUserToday: await tx.apiKey.count({ where: { workspaceId, userId, createdAt: { gt: since } } }),
  })
  if (exceeded !== null) return exceeded
  await tx.apiKey.create({ data: { ...key, allowedModels: [...key.allowedModels], workspaceId, userId, createdAt } })
  const { name, display, requestsPerMinute, tokensPerMinute, expiresAt, allowedModels } = key
  const after = { name, display, requestsPerMinute, tokensPerMinute, expiresAt, allowedModels }
  await recordChange(tx, act, { action: 'key.created', subject: key.id, after })
  return null
}

/** Keys of the gateway: the page does not show those of the voice interface. */
function whereIn({ workspaceId, userId }: KeyScope) {
  return { workspaceId, surface: 'gateway', ...(userId === null ? {} : { userId }) }
}

interface ChangedKey {
  readonly id: string
  readonly scope: KeyScope
  readonly changes: KeyChanges
}

async function change(
  tx: Pick<DashboardTransaction, 'apiKey' | 'auditEvent'>,
  act: Act,
  { id, scope, changes }: ChangedKey,
): Promise<boolean> {
  const select = {
    name: true,
    requestsPerMinute: true,
    tokensPerMinute: true,
    expiresAt: true,
    allowedModels: true,
  } as const
  const { allowedModels, ...others } = changes
  const data = { ...others, ...(allowedModels === undefined ? {} : { allowedModels: [...allowedModels] }) }
  const where = { id, ...whereIn(scope) }
  const before = await tx.apiKey.findFirst({ where, select })
  const [after] = await tx.apiKey.updateManyAndReturn({ where, data, select })
  if (before === null || after === undefined) return false
  const difference = differenceOf(before, after)
  if (difference !== null) await recordChange(tx, act, { action: 'key.changed', subject: id, ...difference })
  return true
}

interface KeysWhere {
  readonly workspaceId: string
  readonly surface: string
  readonly userId?: string
  readonly id?: string
}

/** When a key was last used is in a table of the edge, and whether its user is still a member in one of the members. */
async function list(db: DashboardDb, where: KeysWhere): Promise<ApiKey[]> {
  const user = { select: { id: true, name: true, email: true } } as const
  const inForceFirst = [{ revokedAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }] as const
  const read = await db.apiKey.findMany({ where, orderBy: [...inForceFirst], include: { user }, take: shownKeys })
  const found = read.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  const userIds = [...new Set(found.map(({ userId }) => userId))]
  const [members, used] = await Promise.all([
    db.membership.findMany({ where: { workspaceId: where.workspaceId, userId: { in: userIds } } }),
    db.apiKeyUse.findMany({ where: { keyId: { in: found.map(({ id }) => id) } } }),
  ])
  const roles = new Map(members.map(({ userId, role }) => [userId, role]))
  const uses = new Map(used.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]))
  return found.map((key) => ({
    id: key.id,
    name: key.name,
    display: key.display,
    created_by: { ...key.user, role: roles.get(key.userId) ?? null },
    created_at: key.createdAt.toISOString(),
    last_used_at: uses.get(key.id)?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    expires_at: key.expiresAt?.toISOString() ?? null,
    allowed_models: key.allowedModels,
  }))
}

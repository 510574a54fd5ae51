import type { Role } from '@ratchet/contracts/identity'
import { changeKeys } from '@ratchet/db/change-keys'
import type { DashboardDb, DashboardTransaction } from '@ratchet/db/dashboard-client'
import type { Act } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'
import { differenceOf } from '../settings/difference.ts'
import { asUnconfirmed } from './pg-unconfirmed.ts'

export interface MemberChanges {
  readonly role?: Role
  readonly mayGrade?: boolean
}

/**
 * `last_owner`: the change would leave the workspace without an owner. `not_owner`: who changes a member is no owner any
 * more, since another change that came first.
 */
export type MemberOutcome = 'done' | 'missing' | 'last_owner' | 'not_owner'

export type MemberStore = ReturnType<typeof createPgMembers>

export function createPgMembers(db: DashboardDb) {
  return {
    list: (workspaceId: string) => list(db, workspaceId),
    /** Returns when the member's keys have the new role at every edge. */
    change: (act: Act, userId: string, changes: MemberChanges) => change(db, act, { userId, changes }),
    /** Returns when every edge refuses the member's keys. */
    remove: (act: Act, userId: string, action: 'member.removed' | 'member.left') => remove(db, act, { userId, action }),
  }
}

interface ChangedMember {
  readonly userId: string
  readonly changes: MemberChanges
}

function change(db: DashboardDb, act: Act, { userId, changes }: ChangedMember): Promise<MemberOutcome> {
  const { workspaceId } = act
  return asUnconfirmed(
    changeKeys(db, () =>
      db.$transaction(async (tx) => {
        const before = await lockMember(tx, { workspaceId, userId })
        if (!(await isStillOwner(tx, act))) return 'not_owner'
        if (before === null) return 'missing'
        const after = { role: changes.role ?? before.role, mayGrade: changes.mayGrade ?? before.mayGrade }
        if (after.role !== 'owner' && (await isLastOwner(tx, { workspaceId, userId }))) return 'last_owner'
        const difference = differenceOf(before, after)
        if (difference === null) return 'done'
        await tx.membership.update({ where: { workspaceId_userId: { workspaceId, userId } }, data: after })
        const withdrawn = after.role === 'owner' ? {} : await withdrawInvitationsOf(tx, { workspaceId, userId })
        const { before: were, after: are } = difference
        const recorded = { before: { ...were, ...withdrawn }, after: are }
        await recordChange(tx, act, { action: 'member.changed', subject: userId, ...recorded })
        return 'done'
      }),
    ),
  )
}

interface RemovedMember {
  readonly userId: string
  readonly action: 'member.removed' | 'member.left'
}

function remove(db: DashboardDb, act: Act, { userId, action }: RemovedMember): Promise<MemberOutcome> {
  const { workspaceId } = act
  return asUnconfirmed(
    changeKeys(db, () =>
      db.$transaction(async (tx) => {
        const before = await lockMember(tx, { workspaceId, userId })
        if (act.userId !== userId && !(await isStillOwner(tx, act))) return 'not_owner'
        if (before === null) return 'missing'
        if (await isLastOwner(tx, { workspaceId, userId })) return 'last_owner'
        await tx.membership.delete({ where: { workspaceId_userId: { workspaceId, userId } } })
        await tx.savedView.deleteMany({ where: { workspaceId, userId } })
        const withdrawn = await withdrawInvitationsOf(tx, { workspaceId, userId })
        await recordChange(tx, act, { action, subject: userId, before: { ...before, ...withdrawn } })
        return 'done'
      }),
    ),
  )
}

interface MemberKey {
  readonly workspaceId: string
  readonly userId: string
}

type Tables = Pick<DashboardTransaction, 'membership'> & Pick<DashboardDb, '$queryRaw'>

/** Changes of the members of a workspace come one after the other, so that two owners cannot remove each other. */
export async function lockMember(tx: Tables, { workspaceId, userId }: MemberKey) {
  await tx.$queryRaw`SELECT id FROM workspace WHERE id = ${workspaceId}::uuid FOR UPDATE`
  const where = { workspaceId_userId: { workspaceId, userId } }
  return tx.membership.findUnique({ where, select: { role: true, mayGrade: true } })
}

/** The right was checked when the request came. It is checked again under the lock, because another change may be first. */
async function isStillOwner(tx: Pick<Tables, 'membership'>, { workspaceId, userId }: MemberKey): Promise<boolean> {
  const where = { workspaceId_userId: { workspaceId, userId } }
  return (await tx.membership.findUnique({ where, select: { role: true } }))?.role === 'owner'
}

/** A link that a member made as an owner must not be the way back. Returns what the audit writes about them. */
async function withdrawInvitationsOf(
  tx: Pick<DashboardTransaction, 'invitation'>,
  { workspaceId, userId: invitedBy }: MemberKey,
): Promise<{ readonly invitations?: readonly string[] }> {
  const where = { workspaceId, invitedBy }
  const found = await tx.invitation.findMany({ where, select: { email: true } })
  if (found.length === 0) return {}
  await tx.invitation.deleteMany({ where })
  return { invitations: found.map(({ email }) => email) }
}

/** An owner who is disabled cannot sign in, so it does not count. */
async function isLastOwner(tx: Pick<Tables, 'membership'>, { workspaceId, userId }: MemberKey): Promise<boolean> {
  const owners = await tx.membership.findMany({
    where: { workspaceId, role: 'owner', user: { disabledAt: null } },
    select: { userId: true },
    take: 2,
  })
  return owners.length === 1 && owners[0]?.userId === userId
}

/** Owners first, then by name. */
async function list(db: DashboardDb, workspaceId: string) {
  const members = await db.membership.findMany({
    where: { workspaceId },
    include: { user: { select: { email: true, name: true } } },
    orderBy: [{ role: 'asc' }, { user: { name: 'asc' } }],
  })
  const userIds = members.map(({ userId }) => userId)
  const [seen, keys] = await Promise.all([
    db.authSession.groupBy({ by: ['userId'], where: { userId: { in: userIds } }, _max: { updatedAt: true } }),
    db.apiKey.groupBy({ by: ['userId'], where: { workspaceId, revokedAt: null }, _count: true }),
  ])
  const lastSeen = new Map(seen.map(({ userId, _max }) => [userId, _max.updatedAt]))
  const keyCounts = new Map(keys.map(({ userId, _count }) => [userId, _count]))
  return members.map(({ userId, role, mayGrade, createdAt, user }) => ({
    user_id: userId,
    ...user,
    role,
    may_grade: mayGrade,
    joined_at: createdAt.toISOString(),
    last_seen_at: lastSeen.get(userId)?.toISOString() ?? null,
    active_keys: keyCounts.get(userId) ?? 0,
  }))
}

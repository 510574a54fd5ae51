import type { Role } from '@ratchet/contracts/identity'
import type { DashboardDb, DashboardTransaction } from '@ratchet/db/dashboard-client'
import type { Act } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'
import { type NewAccount, saveAccount } from '../sign-in/pg-accounts.ts'
import { maxInvitations } from './max-invitations.ts'
import { lockMember } from './pg-members.ts'

export interface NewInvitation {
  readonly id: string
  readonly email: string
  readonly role: Role
  readonly mayGrade: boolean
  /** SHA-256 of its token. */
  readonly tokenHash: Uint8Array<ArrayBuffer>
  readonly expiresAt: Date
}

export interface Acceptance {
  readonly tokenHash: Uint8Array<ArrayBuffer>
  /** The user who accepts, or the account to create. */
  readonly by: { readonly userId: string } | NewAccount
  /** Of the row in the audit. */
  readonly eventId: string
  readonly requestId: string
  readonly at: Date
}

export type InvitationStore = ReturnType<typeof createPgInvitations>

const shown = {
  id: true,
  email: true,
  role: true,
  mayGrade: true,
  invitedBy: true,
  createdAt: true,
  expiresAt: true,
} as const

export function createPgInvitations(db: DashboardDb) {
  return {
    async list(workspaceId: string, now: Date) {
      const where = { workspaceId, expiresAt: { gt: now } }
      const found = await db.invitation.findMany({ where, select: shown, orderBy: { createdAt: 'desc' } })
      const users = await db.user.findMany({ where: { id: { in: found.map(({ invitedBy }) => invitedBy) } } })
      const names = new Map(users.map(({ id, name }) => [id, name]))
      return found.map((invitation) => ({ ...invitation, invitedByName: names.get(invitation.invitedBy) ?? null }))
    },
    /** Replaces an invitation of the same address. */
    create: (act: Act, invitation: NewInvitation) => db.$transaction((tx) => create(tx, act, invitation)),
    /** False when there is none. */
    withdraw: (act: Act, id: string) =>
      db.$transaction(async (tx) => {
        const where = { id, workspaceId: act.workspaceId }
        const found = await tx.invitation.findFirst({ where, select: { email: true, role: true } })
        if (found === null) return false
        await tx.invitation.deleteMany({ where })
        await recordChange(tx, act, {
          action: 'invitation.withdrawn',
          subject: found.email,
          before: { role: found.role },
        })
        return true
      }),
    /** The invitation of a token, with the workspace, and the user who has its address; null when it is not valid. */
    async find(tokenHash: Uint8Array<ArrayBuffer>, now: Date) {
      const invitation = await db.invitation.findUnique({ where: { tokenHash } })
      if (invitation === null || invitation.expiresAt <= now) return null
      const { workspaceId, email } = invitation
      if (await isBarred(db, invitation)) return null
      const [workspace, user] = await Promise.all([
        db.workspace.findUniqueOrThrow({ where: { id: workspaceId }, select: { slug: true, name: true } }),
        db.user.findUnique({ where: { email }, select: { id: true } }),
      ])
      return { ...invitation, workspace, userId: user?.id ?? null }
    },
    /** Makes a person a member, once for each invitation. Null when it was used or withdrawn meanwhile. */
    accept: (acceptance: Acceptance) => db.$transaction((tx) => accept(tx, acceptance)),
  }
}

/** `member`: a member has the address. `not_owner`: who invites is no owner any more. `full`: others wait to be accepted. */
export type InvitationOutcome = 'done' | 'member' | 'not_owner' | 'full'

async function create(
  tx: DashboardTransaction & Pick<DashboardDb, '$queryRaw'>,
  act: Act,
  invitation: NewInvitation,
): Promise<InvitationOutcome> {
  const { workspaceId, userId: invitedBy, at: createdAt } = act
  const { email, role, mayGrade } = invitation
  // After the same lock as the removal of a member, which withdraws what the member invited.
  const inviter = await lockMember(tx, { workspaceId, userId: invitedBy })
  if (inviter?.role !== 'owner') return 'not_owner'
  const member = await tx.membership.findFirst({ where: { workspaceId, user: { email } } })
  if (member !== null) return 'member'
  await tx.invitation.deleteMany({ where: { workspaceId, OR: [{ email }, { expiresAt: { lte: createdAt } }] } })
  if ((await tx.invitation.count({ where: { workspaceId } })) >= maxInvitations) return 'full'
  await tx.invitation.create({ data: { ...invitation, workspaceId, invitedBy, createdAt } })
  await recordChange(tx, act, { action: 'invitation.created', subject: email, after: { role, mayGrade } })
  return 'done'
}

/** Whether an operator has disabled who invited, or the workspace. */
async function isBarred(
  db: Pick<DashboardTransaction, 'user' | 'workspace'>,
  { invitedBy, workspaceId }: { readonly invitedBy: string; readonly workspaceId: string },
): Promise<boolean> {
  const [inviters, workspaces] = [
    await db.user.count({ where: { id: invitedBy, disabledAt: null } }),
    await db.workspace.count({ where: { id: workspaceId, disabledAt: null } }),
  ]
  return inviters === 0 || workspaces === 0
}

async function accept(tx: DashboardTransaction, { tokenHash, by, eventId, requestId, at }: Acceptance) {
  const invitation = await tx.invitation.findUnique({ where: { tokenHash } })
  if (invitation === null || (await isBarred(tx, invitation))) return null
  const { count } = await tx.invitation.deleteMany({ where: { tokenHash, expiresAt: { gt: at } } })
  if (count === 0) return null
  const { workspaceId, email, role, mayGrade } = invitation
  const userId = 'passwordHash' in by ? await saveAccount(tx, { ...by, email, at }) : by.userId
  // A new key of the member is not known to any edge, and one of an earlier membership is valid again within seconds.
  await tx.membership.create({ data: { workspaceId, userId, role, mayGrade, createdAt: at } })
  const act = { id: eventId, workspaceId, userId, requestId, at }
  await recordChange(tx, act, { action: 'invitation.accepted', subject: email, after: { role, mayGrade } })
  return { role }
}

import type { DashboardDb, DashboardTransaction } from '@ratchet/db/dashboard-client'
import { createResetLink, hashOfToken, passwordProvider } from '@ratchet/db/one-time-links'
import type { UserAct } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'
import { recordUserChange } from '../audit/pg-user-change.ts'

export interface NewAccount {
  readonly userId: string
  /** Of the row with the password. */
  readonly accountId: string
  readonly name: string
  readonly passwordHash: string
}

export interface SetUp {
  /** Of the link. */
  readonly token: string
  readonly account: NewAccount & { readonly email: string }
  readonly workspace: NewWorkspace
  readonly requestId: string
  readonly eventId: string
  readonly at: Date
}

export interface NewWorkspace {
  readonly id: string
  readonly slug: string
  readonly name: string
}

interface SavedWorkspace {
  readonly workspace: NewWorkspace
  readonly ownerId: string
  /** Who creates it. */
  readonly actorId: string
  readonly requestId: string
  readonly eventId: string
  readonly at: Date
  readonly action: 'setup.completed' | 'workspace.created'
}

export interface CreatedWorkspace {
  readonly workspace: NewWorkspace
  /** Address of the owner; null: who creates it. */
  readonly ownerEmail: string | null
  readonly actorId: string
  readonly requestId: string
  readonly at: Date
  readonly newId: () => string
  /** Of the link with which a new owner chooses a password. */
  readonly token: string
  /** Where browsers open the dashboard. */
  readonly origin: string
}

export type Accounts = ReturnType<typeof createPgAccounts>

export function createPgAccounts(db: DashboardDb) {
  return {
    /** Whether a link for setting up has this token, and is valid. */
    async isSetUpToken(token: string, now: Date): Promise<boolean> {
      const where = { identifier: hashOfToken('setup', token), expiresAt: { gt: now } }
      return (await db.authVerification.findFirst({ where, select: { id: true } })) !== null
    },
    /** The user whose password a link resets; null for a link that does not exist. */
    async userOfResetLink(token: string): Promise<string | null> {
      const where = { identifier: hashOfToken('reset-password', token) }
      return (await db.authVerification.findFirst({ where, select: { value: true } }))?.value ?? null
    },
    /** Creates the first owner, who is an operator, and a workspace. `unknown_token` when the link is used meanwhile. */
    setUp: (setUp: SetUp): Promise<'done' | 'unknown_token'> => db.$transaction((tx) => runSetUp(tx, setUp)),
    /** Deletes what is not valid any more. */
    async sweep(now: Date): Promise<void> {
      const where = { expiresAt: { lte: now } }
      await db.authSession.deleteMany({ where })
      await db.authVerification.deleteMany({ where })
      await db.invitation.deleteMany({ where })
    },
    /** The link for the password of an owner who had no account; null for others. `disabled`: the owner is. */
    createWorkspace: (created: CreatedWorkspace): Promise<string | null | 'disabled'> =>
      db.$transaction((tx) => createWorkspace(tx, created)),
    /** Saves another name of a user, and writes both names to the audit. */
    rename: (act: UserAct, name: string) => db.$transaction((tx) => rename(tx, act, name)),
    async preferencesOf(userId: string): Promise<string | null> {
      return (await db.userPreference.findUnique({ where: { userId } }))?.value ?? null
    },
    async savePreferences(userId: string, value: string): Promise<void> {
      await db.userPreference.upsert({ where: { userId }, create: { userId, value }, update: { value } })
    },
    async passkeysOf(userId: string) {
      const select = { id: true, name: true, createdAt: true } as const
      return db.authPasskey.findMany({ where: { userId }, select, orderBy: { createdAt: 'desc' } })
    },
    /** Removes a passkey, with a row of the audit. False when the user has no such passkey. */
    removePasskey: (act: UserAct, id: string): Promise<boolean> =>
      db.$transaction(async (tx) => {
        const { count } = await tx.authPasskey.deleteMany({ where: { id, userId: act.userId } })
        if (count === 1) await recordUserChange(tx, act, { action: 'user.passkey_removed' })
        return count === 1
      }),
    /** Writes to the audit that the library changed how a user signs in. */
    recordWayIn: (act: UserAct, action: 'user.password_changed' | 'user.passkey_added'): Promise<void> =>
      db.$transaction((tx) => recordUserChange(tx, act, { action })),
  }
}

async function runSetUp(tx: DashboardTransaction, setUp: SetUp): Promise<'done' | 'unknown_token'> {
  const { token, account, workspace, requestId, eventId, at } = setUp
  const where = { identifier: hashOfToken('setup', token), expiresAt: { gt: at } }
  const { count } = await tx.authVerification.deleteMany({ where })
  if (count === 0) return 'unknown_token'
  const ownerId = await saveAccount(tx, { ...account, operator: true, at })
  const saved = { workspace, ownerId, actorId: ownerId, requestId, eventId, at } as const
  await saveWorkspace(tx, { ...saved, action: 'setup.completed' })
  return 'done'
}

async function createWorkspace(tx: DashboardTransaction, created: CreatedWorkspace) {
  const { ownerEmail: email, workspace, actorId, requestId, at, newId } = created
  const found = email === null ? { id: actorId, disabledAt: null } : await findOwner(tx, email)
  if (found !== null && found.disabledAt !== null) return 'disabled'
  const ownerId = found?.id ?? newId()
  if (found === null && email !== null) {
    const name = email.replace(/@.*/, '')
    await tx.user.create({ data: { id: ownerId, email, name, createdAt: at, updatedAt: at } })
  }
  const saved = { workspace, ownerId, actorId, requestId, at, eventId: newId() } as const
  await saveWorkspace(tx, { ...saved, action: 'workspace.created' })
  if (found !== null) return null
  const { token, origin } = created
  await recordUserChange(tx, { userId: ownerId, actorId, requestId, at, newId }, { action: 'user.reset_link_created' })
  return createResetLink(tx, { id: newId(), userId: ownerId, token, origin, at })
}

function findOwner(tx: Pick<DashboardTransaction, 'user'>, email: string) {
  return tx.user.findUnique({ where: { email }, select: { id: true, disabledAt: true } })
}

async function rename(
  tx: DashboardTransaction & Pick<DashboardDb, '$queryRaw'>,
  act: UserAct,
  name: string,
): Promise<void> {
  const { userId: id, at: updatedAt } = act
  // Two changes at once follow one another, so that each is in the audit with the name before it.
  const [before] = await tx.$queryRaw<{ name: string }[]>`SELECT name FROM app_user WHERE id = ${id}::uuid FOR UPDATE`
  if (before === undefined || before.name === name) return
  await tx.user.update({ where: { id }, data: { name, updatedAt } })
  await recordUserChange(tx, act, { action: 'user.changed', before, after: { name } })
}

interface SavedAccount extends NewAccount {
  readonly email: string
  readonly operator?: boolean
  readonly at: Date
}

/** Saves a user who signs in with a password, and returns the user's id. */
export async function saveAccount(
  tx: Pick<DashboardTransaction, 'user' | 'authAccount'>,
  { userId, accountId, email, name, passwordHash, operator = false, at }: SavedAccount,
): Promise<string> {
  await tx.user.create({ data: { id: userId, email, name, operator, createdAt: at, updatedAt: at } })
  const login = { id: accountId, userId, accountId: userId, providerId: passwordProvider, password: passwordHash }
  await tx.authAccount.create({ data: { ...login, createdAt: at, updatedAt: at } })
  return userId
}

async function saveWorkspace(tx: DashboardTransaction, saved: SavedWorkspace): Promise<void> {
  const { workspace, ownerId, actorId: userId, requestId, eventId: id, at, action } = saved
  const { id: workspaceId, slug, name } = workspace
  await tx.workspace.create({ data: { ...workspace, createdAt: at } })
  await tx.membership.create({ data: { workspaceId, userId: ownerId, role: 'owner', createdAt: at } })
  const act = { id, workspaceId, userId, requestId, at }
  await recordChange(tx, act, { action, subject: workspaceId, after: { slug, name, owner: ownerId } })
}

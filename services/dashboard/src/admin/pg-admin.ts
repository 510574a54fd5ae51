import { changeKeys } from '@ratchet/db/change-keys'
import type { DashboardDb, DashboardTransaction } from '@ratchet/db/dashboard-client'
import { createResetLink } from '@ratchet/db/one-time-links'
import type { Act, UserAct } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'
import { recordUserChange } from '../audit/pg-user-change.ts'
import { asUnconfirmed } from '../members/pg-unconfirmed.ts'
import { differenceOf } from '../settings/difference.ts'

export interface AdminPage {
  readonly search?: string | undefined
  readonly limit: number
  readonly offset: number
}

export interface NewResetLink {
  readonly token: string
  readonly origin: string
}

type MoneyAction = 'wallet.credit_requested' | 'wallet.correction_requested'

export type AdminStore = ReturnType<typeof createPgAdmin>

const userFields = {
  id: true,
  email: true,
  name: true,
  operator: true,
  disabledAt: true,
  createdAt: true,
  memberships: { select: { role: true, workspace: { select: { slug: true } } } },
} as const

/** What operators see and change of the whole installation. */
export function createPgAdmin(db: DashboardDb) {
  return {
    async workspaces({ search, limit, offset }: AdminPage) {
      const where = search === undefined ? {} : { OR: [containing('slug', search), containing('name', search)] }
      const page = { where, take: limit, skip: offset, orderBy: { id: 'desc' } } as const
      const owners = { where: { role: 'owner' }, select: { user: { select: { email: true } } } } as const
      const _count = { select: { memberships: true, apiKeys: { where: { revokedAt: null } } } } as const
      const own = { slug: true, name: true, createdAt: true, disabledAt: true, ledger: true, settings: true } as const
      const select = { ...own, memberships: owners, _count } as const
      const [total, found] = await Promise.all([
        db.workspace.count({ where }),
        db.workspace.findMany({ ...page, select }),
      ])
      return { total, found }
    },
    /** The id of a workspace; null for an address of none. */
    async workspaceId(slug: string) {
      const workspace = await db.workspace.findUnique({ where: { slug }, select: { id: true } })
      return workspace?.id ?? null
    },
    /** Before the money moves, so that no movement is without a row. The entry of the ledger shows that it was made. */
    recordMoney: (act: Act, action: MoneyAction, { reference, ...after }: { readonly reference: string } & object) =>
      db.$transaction((tx) => recordChange(tx, act, { action, subject: reference, after })),
    async users({ search, limit, offset }: AdminPage) {
      const where = search === undefined ? {} : { OR: [containing('email', search), containing('name', search)] }
      const page = { where, take: limit, skip: offset, orderBy: { id: 'desc' }, select: userFields } as const
      const [total, found] = await Promise.all([db.user.count({ where }), db.user.findMany(page)])
      return { total, found }
    },
    user: (id: string) => db.user.findUnique({ where: { id }, select: userFields }),
    /** By the ids of workspaces. */
    async slugs(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const found = await db.workspace.findMany({ where: { id: { in: [...ids] } }, select: { id: true, slug: true } })
      return new Map(found.map(({ id, slug }) => [id, slug]))
    },
    /** Returns when no edge accepts the workspace's keys, or when all accept them again; the time since when, or null. */
    setWorkspaceDisabled: (act: Act, isDisabled: boolean) => setWorkspaceDisabled(db, act, isDisabled),
    /**
     * `last_operator`: nobody could administer the installation afterwards. Returns when no edge accepts the keys of a
     * disabled user, whose sessions are deleted.
     */
    changeUser: (act: UserAct, changes: UserChanges) => changeUser(db, act, changes),
    /** The link with the address of the user, or null for an unknown one. */
    createResetLink: (act: UserAct, link: NewResetLink) =>
      db.$transaction(async (tx) => {
        const { userId, at, newId } = act
        const user = await tx.user.findUnique({ where: { id: userId }, select: { email: true } })
        if (user === null) return null
        await recordUserChange(tx, act, { action: 'user.reset_link_created' })
        return { ...user, link: await createResetLink(tx, { id: newId(), userId, at, ...link }) }
      }),
  }
}

function containing<Field extends string>(field: Field, text: string) {
  return { [field]: { contains: text, mode: 'insensitive' as const } }
}

type Tables = DashboardTransaction & Pick<DashboardDb, '$queryRaw'>

function setWorkspaceDisabled(db: DashboardDb, act: Act, isDisabled: boolean): Promise<Date | null> {
  const { workspaceId: id, at } = act
  return asUnconfirmed(
    changeKeys(db, () =>
      db.$transaction(async (tx) => {
        const { count } = await tx.workspace.updateMany({
          where: { id, disabledAt: isDisabled ? null : { not: null } },
          data: { disabledAt: isDisabled ? at : null },
        })
        const { disabledAt } = await tx.workspace.findUniqueOrThrow({ where: { id }, select: { disabledAt: true } })
        const action = isDisabled ? 'workspace.disabled' : 'workspace.enabled'
        if (count === 1) await recordChange(tx, act, { action, subject: id })
        return disabledAt
      }),
    ),
  )
}

export interface UserChanges {
  readonly operator?: boolean | undefined
  readonly disabled?: boolean | undefined
}

type UserOutcome = 'done' | 'missing' | 'last_operator'

function changeUser(db: DashboardDb, act: UserAct, changes: UserChanges): Promise<UserOutcome> {
  const { userId: id, at: updatedAt } = act
  return asUnconfirmed(
    changeKeys(db, () =>
      db.$transaction(async (tx): Promise<UserOutcome> => {
        // Operators change one after the other, so that two cannot end each other's right.
        await tx.$queryRaw`SELECT id FROM app_user WHERE operator FOR UPDATE`
        const user = await tx.user.findUnique({ where: { id }, select: { operator: true, disabledAt: true } })
        if (user === null) return 'missing'
        const before = { operator: user.operator, disabled: user.disabledAt !== null }
        const after = { operator: changes.operator ?? before.operator, disabled: changes.disabled ?? before.disabled }
        const difference = differenceOf(before, after)
        if (difference === null) return 'done'
        if (isActing(before) && !isActing(after) && (await countActing(tx)) === 1) return 'last_operator'
        const disabledAt = after.disabled ? (user.disabledAt ?? updatedAt) : null
        await tx.user.update({ where: { id }, data: { operator: after.operator, disabledAt, updatedAt } })
        if (after.disabled) {
          await tx.authSession.deleteMany({ where: { userId: id } })
          // A link that the person made must not be the way back.
          await tx.invitation.deleteMany({ where: { invitedBy: id } })
        }
        await recordUserChange(tx, act, { action: 'user.changed', ...difference })
        return 'done'
      }),
    ),
  )
}

function isActing({ operator, disabled }: { readonly operator: boolean; readonly disabled: boolean }): boolean {
  return operator && !disabled
}

function countActing(tx: Pick<Tables, 'user'>): Promise<number> {
  return tx.user.count({ where: { operator: true, disabledAt: null } })
}

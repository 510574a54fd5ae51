import {
  changeUser,
  changeWorkspace,
  correctWorkspaceWallet,
  createResetLink,
  creditWorkspace,
  listAllUsers,
  listAllWorkspaces,
} from '@ratchet/contracts/dashboard/admin'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { correctWallet, creditWallet } from '@ratchet/contracts/internal-credits'
import { pageReply } from '@ratchet/contracts/page'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { Logger } from 'pino'
import type { UserAct } from '../audit/act.ts'
import { type Mailer, resetMail } from '../mail/mail.ts'
import { sendLink } from '../mail/send-link.ts'
import { mountForPerson, type PeopleDeps, type PersonInput } from '../people/person-routes.ts'
import { requirePerson } from '../people/require-access.ts'
import type { AuthHandler } from '../sign-in/call-auth.ts'
import { correctionRefusalOf, creditRefusalOf } from './credit-refusal.ts'
import { limitsOf } from './limits-of.ts'
import type { AdminStore } from './pg-admin.ts'

export interface AdminDeps extends PeopleDeps {
  readonly inference: Pick<FleetClient, 'call'>
  readonly admin: AdminStore
  readonly auth: AuthHandler & { readonly origin: string }
  readonly randomBytes: (count: number) => Uint8Array
  /** Null where no mail server is set. */
  readonly mailer: Mailer | null
  readonly logger: Pick<Logger, 'warn'>
}

const tokenBytes = 32

/** For operators: the whole installation. What belongs to a workspace they see as its members only. */
export function adminRoutes(router: Router, deps: AdminDeps): void {
  const { admin, auth, randomBytes } = deps
  mountForPerson(router, deps, listAllWorkspaces, async ({ query }) => {
    const { total, found } = await admin.workspaces(query)
    const data = found.map(({ slug, name, createdAt, disabledAt, ledger, memberships, settings, _count }) => ({
      slug,
      name,
      created_at: createdAt.toISOString(),
      ledger,
      owners: memberships.map(({ user }) => user.email),
      members: _count.memberships,
      active_keys: _count.apiKeys,
      disabled_at: disabledAt?.toISOString() ?? null,
      limits: limitsOf(settings),
    }))
    return pageReply(data, total, query)
  })
  mountForPerson(router, deps, changeWorkspace, async ({ params: { slug }, body, request, visitor, now: at }) => {
    const workspaceId = await admin.workspaceId(slug)
    if (workspaceId === null) throw notFound('workspace', 'slug')
    const { userId } = requirePerson(visitor)
    const act = { id: deps.newId(), workspaceId, userId, requestId: request.id, at }
    const disabledAt = await admin.setWorkspaceDisabled(act, body.disabled)
    return { object: 'workspace' as const, slug, disabled_at: disabledAt?.toISOString() ?? null }
  })
  mountForPerson(router, deps, creditWorkspace, (input) => creditByOperator(deps, input))
  mountForPerson(router, deps, correctWorkspaceWallet, (input) => correctByOperator(deps, input))
  mountForPerson(router, deps, listAllUsers, async ({ query }) => {
    const { total, found } = await admin.users(query)
    return pageReply(found.map(userReply), total, query)
  })
  mountForPerson(router, deps, changeUser, async ({ body, ...input }) => {
    const act = actOf(deps, input)
    const outcome = await admin.changeUser(act, body)
    if (outcome === 'last_operator') throw new ServiceError('conflict', 'Make somebody else an operator first.')
    const user = await admin.user(act.userId)
    if (user === null) throw notFound('user')
    return userReply(user)
  })
  mountForPerson(router, deps, createResetLink, async (input) => {
    const token = Buffer.from(randomBytes(tokenBytes)).toString('base64url')
    const made = await admin.createResetLink(actOf(deps, input), { token, origin: auth.origin })
    if (made === null) throw notFound('user')
    const { link, email: to } = made
    const { mailer, logger } = deps
    return {
      object: 'reset_link' as const,
      ...(await sendLink({ mailer, logger, mail: resetMail({ to, link }), link })),
    }
  })
}

async function creditByOperator(
  { admin, inference, newId }: AdminDeps,
  { params: { slug }, body, request, visitor, now: at }: PersonInput<typeof creditWorkspace>,
) {
  const workspaceId = await admin.workspaceId(slug)
  if (workspaceId === null) throw notFound('workspace')
  const { userId } = requirePerson(visitor)
  const act = { id: newId(), workspaceId, userId, requestId: request.id, at }
  await admin.recordMoney(act, 'wallet.credit_requested', body)
  try {
    const input = { body: { workspace_id: workspaceId, ...body } }
    const { credited, balance_nano } = await inference.call(creditWallet, input, fleetIdentity)
    return { object: 'credit' as const, credited, balance_nano }
  } catch (error) {
    throw error instanceof FleetCallError ? creditRefusalOf(error) : error
  }
}

async function correctByOperator(
  { admin, inference, newId }: AdminDeps,
  { params: { slug }, body, request, visitor, now: at }: PersonInput<typeof correctWorkspaceWallet>,
) {
  const workspaceId = await admin.workspaceId(slug)
  if (workspaceId === null) throw notFound('workspace')
  const { userId } = requirePerson(visitor)
  const act = { id: newId(), workspaceId, userId, requestId: request.id, at }
  await admin.recordMoney(act, 'wallet.correction_requested', body)
  try {
    const input = { body: { workspace_id: workspaceId, ...body } }
    const { corrected, balance_nano } = await inference.call(correctWallet, input, fleetIdentity)
    return { object: 'correction' as const, corrected, balance_nano }
  } catch (error) {
    throw error instanceof FleetCallError ? correctionRefusalOf(error) : error
  }
}

type UserInput = Pick<PersonInput<typeof createResetLink>, 'params' | 'request' | 'visitor' | 'now'>

function actOf({ newId }: AdminDeps, { params: { id: userId }, request, visitor, now: at }: UserInput): UserAct {
  return { userId, actorId: requirePerson(visitor).userId, requestId: request.id, at, newId }
}

function userReply({
  id,
  email,
  name,
  operator,
  disabledAt,
  createdAt,
  memberships,
}: NonNullable<Awaited<ReturnType<AdminStore['user']>>>) {
  const workspaces = memberships.map(({ role, workspace: { slug } }) => ({ slug, role }))
  const times = { disabled_at: disabledAt?.toISOString() ?? null, created_at: createdAt.toISOString() }
  return { id, email, name, operator, ...times, workspaces }
}

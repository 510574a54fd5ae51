import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  readInvitation,
  withdrawInvitation,
} from '@ratchet/contracts/dashboard/members'
import { done, listReply } from '@ratchet/contracts/dashboard/values'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { Router } from 'express'
import type { Logger } from 'pino'
import { invitationMail, type Mailer } from '../mail/mail.ts'
import { sendLink } from '../mail/send-link.ts'
import { mountForMember, mountForPerson, type PeopleDeps } from '../people/person-routes.ts'
import { type AttemptLimit, requireAttempt } from '../sign-in/attempt-limit.ts'
import type { AuthHandler } from '../sign-in/call-auth.ts'
import { clientAddress } from '../sign-in/client-address.ts'
import { isTaken } from '../sign-in/is-taken.ts'
import { signInNewAccount } from '../sign-in/sign-in-new-account.ts'
import { maxInvitations } from './max-invitations.ts'
import { noOwner } from './no-owner.ts'
import type { Acceptance, InvitationStore } from './pg-invitations.ts'

export interface InvitationDeps extends PeopleDeps {
  readonly invitations: InvitationStore
  readonly auth: AuthHandler & { readonly origin: string }
  readonly beginnings: AttemptLimit
  readonly invitationLimit: AttemptLimit
  readonly hashPassword: (password: string) => Promise<string>
  /** See `SignInDeps`. */
  readonly passwordPlaces: FairPlaces
  readonly randomBytes: (count: number) => Uint8Array
  /** Null where no mail server is set. */
  readonly mailer: Mailer | null
  readonly logger: Pick<Logger, 'warn'>
}

const validMs = 7 * 86_400_000
const tokenBytes = 32

export function invitationRoutes(router: Router, deps: InvitationDeps): void {
  const { invitations } = deps
  mountForMember(router, deps, listInvitations, async ({ membership: { workspaceId }, now }) =>
    listReply((await invitations.list(workspaceId, now)).map(replyOf)),
  )
  createRoute(router, deps)
  mountForMember(router, deps, withdrawInvitation, async ({ params: { id }, act }) => {
    if (!(await invitations.withdraw(act, id))) throw notFound('invitation')
    return done
  })
  mountForPerson(router, deps, readInvitation, async ({ body: { token }, request, now }) => {
    await requireAttempt(deps.beginnings, { address: null, client: clientAddress(request) })
    // The person who invites may read the link, so it must not show which addresses have accounts.
    const { email, workspace, expiresAt } = await requireInvitation(deps, token, now)
    return { object: 'invitation' as const, email, workspace: workspace.name, expires_at: expiresAt.toISOString() }
  })
  acceptRoute(router, deps)
}

/** The link is in the mail, or in this reply only. */
function createRoute(router: Router, deps: InvitationDeps): void {
  const { invitations, newId, randomBytes, auth, mailer, logger } = deps
  mountForMember(router, deps, createInvitation, async ({ body, person, membership, act }) => {
    const { email, role, may_grade: mayGrade } = body
    await requireAttempt(deps.invitationLimit, { address: email, client: membership.workspaceId })
    const token = Buffer.from(randomBytes(tokenBytes)).toString('base64url')
    const expiresAt = new Date(act.at.getTime() + validMs)
    const invitation = { id: newId(), email, role, mayGrade, tokenHash: hashApiKey(token), expiresAt }
    const outcome = await invitations.create(act, invitation)
    if (outcome === 'not_owner') throw noOwner()
    if (outcome === 'full') {
      const message = `A workspace may have ${maxInvitations} invitations that nobody has accepted. Withdraw some.`
      throw new ServiceError('quota_exceeded', message)
    }
    if (outcome === 'member') {
      throw new ServiceError('conflict', 'A member has this address already.', { param: 'email' })
    }
    const created = { ...invitation, createdAt: act.at, invitedByName: person.name }
    const link = `${auth.origin}/invite/${token}`
    const mail = invitationMail({ to: email, workspace: membership.workspaceName, inviter: person.name, link })
    return { ...replyOf(created), ...(await sendLink({ mailer, logger, mail, link })) }
  })
}

function acceptRoute(router: Router, deps: InvitationDeps): void {
  const { newId, auth } = deps
  mountForPerson(router, deps, acceptInvitation, async ({ body, request, response, visitor, now: at }) => {
    await requireAttempt(deps.beginnings, { address: null, client: clientAddress(request) })
    const { token, name, password } = body
    const { email, workspace, userId } = await requireInvitation(deps, token, at)
    const audited = { tokenHash: hashApiKey(token), eventId: newId(), requestId: request.id, at }
    if (userId !== null && visitor?.userId === userId) {
      const { role } = await accept(deps, { ...audited, by: { userId } })
      return { object: 'membership' as const, slug: workspace.slug, role }
    }
    // Checked for addresses with an account too, so that an incomplete request does not show which ones have one.
    if (name === undefined) throw invalidRequest('name', '`name` is required for a new account.')
    if (password === undefined) throw invalidRequest('password', '`password` is required for a new account.')
    if (userId !== null) throw new ServiceError('not_signed_in', 'Sign in with the address of the invitation.')
    return deps.passwordPlaces.run(clientAddress(request), async () => {
      const passwordHash = await deps.hashPassword(password)
      const by = { userId: newId(), accountId: newId(), name, passwordHash }
      const { role } = await accept(deps, { ...audited, by })
      await signInNewAccount(auth, { request, response, email, password })
      return { object: 'membership' as const, slug: workspace.slug, role }
    })
  })
}

async function accept({ invitations }: Pick<InvitationDeps, 'invitations'>, acceptance: Acceptance) {
  try {
    const accepted = await invitations.accept(acceptance)
    if (accepted === null) throw unknownInvitation()
    return accepted
  } catch (cause) {
    if (!isTaken(cause)) throw cause
    throw new ServiceError('conflict', 'This person is a member already.', { cause })
  }
}

async function requireInvitation({ invitations }: Pick<InvitationDeps, 'invitations'>, token: string, now: Date) {
  const found = await invitations.find(hashApiKey(token), now)
  if (found === null) throw unknownInvitation()
  return found
}

function unknownInvitation(): ServiceError {
  return notFound('invitation that is still valid', 'token')
}

interface ShownInvitation extends Omit<Awaited<ReturnType<InvitationStore['list']>>[number], 'invitedBy'> {}

function replyOf({ id, email, role, mayGrade, invitedByName, createdAt, expiresAt }: ShownInvitation) {
  const times = { created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() }
  return { id, email, role, may_grade: mayGrade, invited_by: invitedByName, ...times }
}

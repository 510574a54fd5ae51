import {
  changeMe,
  createWorkspace,
  endMySession,
  listMySessions,
  type Me,
  Preferences,
  readMe,
  readPreferences,
  setUp,
  writePreferences,
} from '@ratchet/contracts/dashboard/account'
import { done, listReply } from '@ratchet/contracts/dashboard/values'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { Request, Response, Router } from 'express'
import type { Logger } from 'pino'
import { type Mailer, newOwnerMail } from '../mail/mail.ts'
import { sendLink } from '../mail/send-link.ts'
import { freshUntil, mayGrade, type Person } from '../people/person.ts'
import { mountForPerson, type PeopleDeps } from '../people/person-routes.ts'
import type { People } from '../people/pg-people.ts'
import { requirePerson } from '../people/require-access.ts'
import { type AttemptLimit, requireAttempt } from '../sign-in/attempt-limit.ts'
import { type AuthHandler, callAuth } from '../sign-in/call-auth.ts'
import { clientAddress } from '../sign-in/client-address.ts'
import { isTaken } from '../sign-in/is-taken.ts'
import type { Accounts } from '../sign-in/pg-accounts.ts'
import { signInNewAccount } from '../sign-in/sign-in-new-account.ts'

export interface AccountDeps extends PeopleDeps {
  readonly people: Pick<People, 'find' | 'workspacesOf' | 'sessionsOf' | 'endSession'>
  readonly accounts: Accounts
  readonly auth: AuthHandler & { readonly origin: string }
  readonly beginnings: AttemptLimit
  readonly hashPassword: (password: string) => Promise<string>
  /** See `SignInDeps`. */
  readonly passwordPlaces: FairPlaces
  readonly randomBytes: (count: number) => Uint8Array
  /** Null where no mail server is set. */
  readonly mailer: Mailer | null
  readonly logger: Pick<Logger, 'warn'>
  /** Milliseconds after which the use of a session prolongs it. */
  readonly prolongAfterMs: number
  /** What a page reads before anybody signed in. */
  readonly publicFacts: Pick<Me, 'sign_in' | 'key_prefix' | 'brand_word'>
}

const tokenBytes = 32

export function accountRoutes(router: Router, deps: AccountDeps): void {
  meRoute(router, deps)
  nameRoute(router, deps)
  setUpRoute(router, deps)
  workspaceRoute(router, deps)
  preferenceRoutes(router, deps)
  sessionRoutes(router, deps)
}

function meRoute(router: Router, deps: AccountDeps): void {
  mountForPerson(router, deps, readMe, async ({ visitor, request, response, now }) => {
    if (visitor === null)
      return { object: 'me' as const, user: null, session: null, workspaces: [], ...deps.publicFacts }
    const { userId: id, email, name, operator, session } = visitor
    await prolong(deps, { visitor, request, response, now })
    const workspaces = await deps.people.workspacesOf(id)
    return {
      object: 'me' as const,
      user: { id, email, name, operator },
      session: {
        id: session.id,
        fresh_until: freshUntil(visitor).toISOString(),
        expires_at: session.expiresAt.toISOString(),
      },
      workspaces: workspaces.map(({ slug, workspaceName, role, mayGrade: own }) => ({
        slug,
        name: workspaceName,
        role,
        may_grade: mayGrade({ role, mayGrade: own }),
      })),
      ...deps.publicFacts,
    }
  })
}

function nameRoute(router: Router, deps: AccountDeps): void {
  const { accounts, newId } = deps
  mountForPerson(router, deps, changeMe, async ({ visitor, body: { name }, request, now: at }) => {
    const { userId } = requirePerson(visitor)
    await accounts.rename({ userId, actorId: userId, requestId: request.id, at, newId }, name)
    return done
  })
}

interface Visit {
  readonly visitor: Person
  readonly request: Request
  readonly response: Response
  readonly now: Date
}

/** Every page reads who is signed in, so this is the one place where use prolongs a session. */
async function prolong(
  { auth, prolongAfterMs }: AccountDeps,
  { visitor, request, response, now }: Visit,
): Promise<void> {
  if (now.getTime() - visitor.session.updatedAt.getTime() < prolongAfterMs) return
  const { setCookies } = await callAuth(auth, request, { method: 'GET', path: '/api/auth/get-session' })
  for (const cookie of setCookies) response.append('set-cookie', cookie)
}

function setUpRoute(router: Router, deps: AccountDeps): void {
  const { accounts, newId } = deps
  mountForPerson(router, deps, setUp, async ({ body, request, response, now: at }) => {
    await requireAttempt(deps.beginnings, { address: null, client: clientAddress(request) })
    const { token, email, name, password, workspace } = body
    // Hashing a password is expensive, so it is not done for just anybody.
    if (!(await accounts.isSetUpToken(token, at))) throw unknownLink()
    await deps.passwordPlaces.run(clientAddress(request), async () => {
      const passwordHash = await deps.hashPassword(password)
      const account = { userId: newId(), accountId: newId(), email, name, passwordHash }
      const made = {
        token,
        account,
        workspace: { id: newId(), ...workspace },
        requestId: request.id,
        eventId: newId(),
        at,
      }
      if ((await orTaken(accounts.setUp(made))) === 'unknown_token') throw unknownLink()
      await signInNewAccount(deps.auth, { request, response, email, password })
    })
    return { object: 'setup' as const, workspace }
  })
}

function unknownLink(): ServiceError {
  return notFound('link that is still valid', 'token')
}

function workspaceRoute(router: Router, deps: AccountDeps): void {
  const { accounts, newId, randomBytes, auth, mailer, logger } = deps
  mountForPerson(router, deps, createWorkspace, async ({ body, request, visitor, now: at }) => {
    const { slug, name, owner_email: to } = body
    const { userId: actorId } = requirePerson(visitor)
    const token = Buffer.from(randomBytes(tokenBytes)).toString('base64url')
    const created = {
      workspace: { id: newId(), slug, name },
      ownerEmail: to ?? null,
      actorId,
      requestId: request.id,
      at,
    }
    const link = await orTaken(accounts.createWorkspace({ ...created, newId, token, origin: auth.origin }))
    if (link === 'disabled') {
      throw new ServiceError('conflict', 'An operator has disabled this person.', { param: 'owner_email' })
    }
    const sent =
      link === null || to === undefined
        ? null
        : await sendLink({ mailer, logger, mail: newOwnerMail({ to, workspace: name, link }), link })
    return { object: 'workspace' as const, slug, name, owner_link: sent }
  })
}

/** @throws ServiceError 409 when another workspace or user has the same name */
async function orTaken<T>(saved: Promise<T>): Promise<T> {
  try {
    return await saved
  } catch (cause) {
    if (!isTaken(cause)) throw cause
    throw new ServiceError('conflict', 'This address, of the workspace or of the person, exists already.', { cause })
  }
}

function preferenceRoutes(router: Router, deps: AccountDeps): void {
  mountForPerson(router, deps, readPreferences, async ({ visitor }) =>
    Preferences.parse(JSON.parse((await deps.accounts.preferencesOf(requirePerson(visitor).userId)) ?? '{}')),
  )
  mountForPerson(router, deps, writePreferences, async ({ visitor, body }) => {
    await deps.accounts.savePreferences(requirePerson(visitor).userId, JSON.stringify(body))
    return body
  })
}

function sessionRoutes(router: Router, deps: AccountDeps): void {
  mountForPerson(router, deps, listMySessions, async ({ visitor, now }) => {
    const { userId, session } = requirePerson(visitor)
    const found = await deps.people.sessionsOf(userId, now)
    return listReply(
      found.map(({ id, userAgent, createdAt, expiresAt }) => ({
        id,
        current: id === session.id,
        user_agent: userAgent,
        created_at: createdAt.toISOString(),
        expires_at: expiresAt.toISOString(),
      })),
    )
  })
  mountForPerson(router, deps, endMySession, async ({ visitor, params: { id } }) => {
    const { userId } = requirePerson(visitor)
    if (!(await deps.people.endSession({ id, userId }))) throw notFound('session')
    return done
  })
}

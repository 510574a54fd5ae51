import {
  addPasskey,
  changePassword,
  listPasskeys,
  readPasskeyOptions,
  readPasskeySignInOptions,
  removePasskey,
  resetPassword,
  signInWithPasskey,
  signInWithPassword,
  signInWithProvider,
  signOut,
} from '@ratchet/contracts/dashboard/sign-in'
import { done, listReply } from '@ratchet/contracts/dashboard/values'
import { invalidRequest, notFound, type ServiceError } from '@ratchet/service-kit/http/service-error'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { Request, Response, Router } from 'express'
import type { UserAct } from '../audit/act.ts'
import { mountForPerson, type PeopleDeps } from '../people/person-routes.ts'
import type { People } from '../people/pg-people.ts'
import { requirePerson } from '../people/require-access.ts'
import { type Attempt, type AttemptLimit, requireAttempt } from './attempt-limit.ts'
import { type AuthAnswer, type AuthCall, type AuthHandler, callAuth, signInFailed } from './call-auth.ts'
import { clientAddress } from './client-address.ts'
import type { Accounts } from './pg-accounts.ts'

export interface SignInDeps extends PeopleDeps {
  readonly auth: AuthHandler & { readonly origin: string }
  /** Of attempts to prove who somebody is. */
  readonly attempts: AttemptLimit
  /** Of what anybody may begin. */
  readonly beginnings: AttemptLimit
  /** Of what hashes a password; the owner of a place is a client. */
  readonly passwordPlaces: FairPlaces
  readonly accounts: Pick<Accounts, 'passkeysOf' | 'removePasskey' | 'recordWayIn' | 'userOfResetLink'>
  readonly sessions: Pick<People, 'endSessionsExcept'>
}

/** The ways to sign in. No other path of the library is reachable. */
export function signInRoutes(router: Router, deps: SignInDeps): void {
  passwordRoutes(router, deps)
  providerRoutes(router, deps)
  passkeyRoutes(router, deps)
  mountForPerson(router, deps, signOut, async ({ request, response }) => {
    passCookies(await call(deps, request, post('/api/auth/sign-out', {})), response)
    return done
  })
}

function passwordRoutes(router: Router, deps: SignInDeps): void {
  mountForPerson(router, deps, signInWithPassword, async ({ body, request, response }) => {
    const attempt = { address: body.email, client: clientAddress(request) }
    const answer = await tryPassword(deps, attempt, () => call(deps, request, post('/api/auth/sign-in/email', body)))
    passCookies(answer, response)
    return signedIn
  })
  mountForPerson(router, deps, changePassword, async ({ body, request, response, visitor, now }) => {
    const { userId, email, session } = requirePerson(visitor)
    const sent = { currentPassword: body.current_password, newPassword: body.new_password }
    const attempt = { address: email, client: clientAddress(request) }
    passCookies(
      await tryPassword(deps, attempt, () => call(deps, request, post('/api/auth/change-password', sent))),
      response,
    )
    await deps.sessions.endSessionsExcept({ id: session.id, userId })
    await deps.accounts.recordWayIn(ownAct(deps, { userId, request, now }), 'user.password_changed')
    return done
  })
  mountForPerson(router, deps, resetPassword, async ({ body, request, now }) => {
    const sent = { token: body.token, newPassword: body.new_password }
    const attempt = { address: null, client: clientAddress(request) }
    let userId: string | null = null
    const reset = async () => {
      userId = await deps.accounts.userOfResetLink(body.token)
      return call(deps, request, post('/api/auth/reset-password', sent))
    }
    await tryPassword(deps, attempt, reset, linkUsed)
    if (userId === null) throw linkUsed()
    await deps.accounts.recordWayIn(ownAct(deps, { userId, request, now }), 'user.password_changed')
    return done
  })
}

function linkUsed(): ServiceError {
  return notFound('link that is still valid', 'token')
}

function providerRoutes(router: Router, deps: SignInDeps): void {
  mountForPerson(router, deps, signInWithProvider, async ({ body: { provider, return_to }, request, response }) => {
    await requireAttempt(deps.beginnings, { address: null, client: clientAddress(request) })
    const sent = { provider, callbackURL: return_to, errorCallbackURL: '/sign-in', disableRedirect: true }
    const answer = await call(deps, request, post('/api/auth/sign-in/social', sent))
    const { url } = (answer.value ?? {}) as { readonly url?: unknown }
    if (answer.status >= 400 || typeof url !== 'string') throw signInFailed()
    passCookies(answer, response)
    return { ...signedIn, redirect_to: url }
  })
  // The provider sends the browser here, so it comes from another site. Its state is bound to a cookie of this browser.
  router.get('/api/auth/callback/:provider', async (request, response) => {
    request.routeName = '/api/auth/callback/:provider'
    const { provider } = request.params
    // With dots and backslashes in it, it would be another path of the library.
    if (!/^[a-z0-9-]{1,32}$/.test(provider)) throw notFound('page')
    const query = /\?.*$/s.exec(request.originalUrl)?.[0] ?? ''
    const path = `/api/auth/callback/${provider}${query}`
    const { status, headers, ...answer } = await call(deps, request, { method: 'GET', path })
    passCookies({ status, headers, ...answer }, response)
    response.redirect(302, status === 302 ? (headers.get('location') ?? '/') : '/sign-in?error=sign_in_failed')
  })
}

function passkeyRoutes(router: Router, deps: SignInDeps): void {
  for (const endpoint of [readPasskeySignInOptions, readPasskeyOptions]) {
    mountForPerson(router, deps, endpoint, async ({ request, response }) => {
      await requireAttempt(deps.beginnings, { address: null, client: clientAddress(request) })
      const answer = await call(deps, request, { method: 'GET', path: endpoint.path })
      passCookies(requireSuccess(answer), response)
      return answer.value as Record<string, unknown>
    })
  }
  mountForPerson(router, deps, signInWithPasskey, async ({ body, request, response }) => {
    const attempt = { address: null, client: clientAddress(request) }
    passCookies(await tryOnce(deps, attempt, () => call(deps, request, post(signInWithPasskey.path, body))), response)
    return signedIn
  })
  mountForPerson(router, deps, addPasskey, async ({ body, request, response, visitor, now }) => {
    const { userId } = requirePerson(visitor)
    passCookies(requireSuccess(await call(deps, request, post(addPasskey.path, body))), response)
    await deps.accounts.recordWayIn(ownAct(deps, { userId, request, now }), 'user.passkey_added')
    return done
  })
  mountForPerson(router, deps, listPasskeys, async ({ visitor }) => {
    const found = await deps.accounts.passkeysOf(requirePerson(visitor).userId)
    return listReply(
      found.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt?.toISOString() ?? null })),
    )
  })
  mountForPerson(router, deps, removePasskey, async ({ params: { id }, request, visitor, now }) => {
    const { userId } = requirePerson(visitor)
    const act = ownAct(deps, { userId, request, now })
    if (!(await deps.accounts.removePasskey(act, id))) throw notFound('passkey')
    return done
  })
}

interface OwnAct {
  readonly userId: string
  readonly request: Pick<Request, 'id'>
  readonly now: Date
}

/** What a person changes of the own account. */
function ownAct({ newId }: Pick<SignInDeps, 'newId'>, { userId, request, now }: OwnAct): UserAct {
  return { userId, actorId: userId, requestId: request.id, at: now, newId }
}

const signedIn = { object: 'signed_in', redirect_to: null } as const

function post(path: string, body: object): AuthCall {
  return { method: 'POST', path, body }
}

function call({ auth }: SignInDeps, request: Request, sent: AuthCall): Promise<AuthAnswer> {
  return callAuth(auth, request, sent)
}

/** Makes one attempt to prove who somebody is, within the limits. */
async function tryOnce(
  { attempts }: Pick<SignInDeps, 'attempts'>,
  attempt: Attempt,
  work: () => Promise<AuthAnswer>,
  failed: () => ServiceError = signInFailed,
): Promise<AuthAnswer> {
  await requireAttempt(attempts, attempt)
  const answer = await work()
  if (answer.status >= 400) throw failed()
  await attempts.succeed(attempt)
  return answer
}

/** The same, in a place for work that hashes a password. An attempt that gets none does not count. */
function tryPassword(
  deps: Pick<SignInDeps, 'attempts' | 'passwordPlaces'>,
  attempt: Attempt,
  ...steps: [work: () => Promise<AuthAnswer>, failed?: () => ServiceError]
): Promise<AuthAnswer> {
  return deps.passwordPlaces.run(attempt.client, () => tryOnce(deps, attempt, ...steps))
}

function requireSuccess(answer: AuthAnswer): AuthAnswer {
  if (answer.status >= 400) throw invalidRequest('response', 'The passkey was not accepted. Begin again.')
  return answer
}

function passCookies({ setCookies }: AuthAnswer, response: Response): void {
  for (const cookie of setCookies) response.append('set-cookie', cookie)
}

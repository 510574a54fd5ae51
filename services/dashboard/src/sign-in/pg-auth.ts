import { passkey } from '@better-auth/passkey'
import { prismaAdapter } from '@better-auth/prisma-adapter'
import type { DashboardDb } from '@ratchet/db/dashboard-client'
import { passwordProvider } from '@ratchet/db/one-time-links'
import { hashOfPassword, isPassword } from '@ratchet/service-kit/identity/password-hash'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import type { Logger } from 'pino'
import { freshMs } from '../people/person.ts'

/** A provider of identities that the operator configured. */
export interface IdentityProvider {
  readonly id: string
  /** As its button is named. */
  readonly name: string
  readonly discoveryUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface AuthOptions {
  readonly db: DashboardDb
  /** Where browsers open the dashboard, and its other spellings. */
  readonly origins: readonly [string, ...string[]]
  readonly cookieName: string
  readonly secret: string
  readonly identityProvider: IdentityProvider | null
  readonly newId: () => string
  readonly logger: Logger
}

/** Seconds for which a session is valid without use, and after which its use prolongs it. */
const expiresIn = 14 * 86_400
const updateAge = 86_400
export const prolongAfterMs = updateAge * 1_000

/** Of one user. A new one ends the oldest. */
const maxSessions = 50

const minPasswordLength = 12
const maxPasswordLength = 128

export interface Auth {
  /** Answers a request below `/api/auth`. */
  readonly handler: (request: Request) => Promise<Response>
}

/**
 * better-auth over our tables. Accounts are created by set-up links and invitations only, or by the operator's provider of
 * identities. The dashboard counts attempts to sign in itself, so the library's own limits are off.
 */
export function createAuth({ db, origins, cookieName, secret, identityProvider, newId, logger }: AuthOptions): Auth {
  const [origin] = origins
  const isHttps = origin.startsWith('https:')
  return betterAuth({
    appName: 'Ratchet',
    baseURL: origin,
    basePath: '/api/auth',
    secret,
    trustedOrigins: [...origins],
    database: prismaAdapter(db, { provider: 'postgresql', transaction: true }),
    user: { modelName: 'user' },
    session: {
      modelName: 'authSession',
      expiresIn,
      updateAge,
      freshAge: freshMs / 1_000,
      cookieCache: { enabled: false },
    },
    account: {
      modelName: 'authAccount',
      encryptOAuthTokens: true,
      // A provider may sign in for an account only if it vouches for the address.
      accountLinking: { enabled: true, requireLocalEmailVerified: false },
    },
    verification: { modelName: 'authVerification', storeIdentifier: 'hashed' },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength,
      maxPasswordLength,
      revokeSessionsOnPasswordReset: true,
      password: { hash: hashOfPassword, verify: isPassword },
      // Who held the account before may have added a passkey, and would come back with it.
      onPasswordReset: async ({ user: { id: userId } }) => {
        await db.authPasskey.deleteMany({ where: { userId } })
      },
    },
    databaseHooks: hooksOf(db),
    plugins: [
      passkey({
        rpName: 'Ratchet',
        rpID: new URL(origin).hostname,
        origin: [...origins],
        schema: { passkey: { modelName: 'authPasskey', fields: { credentialID: 'credentialId' } } },
      }),
      ...providersOf(identityProvider),
    ],
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { log: (level, message) => logger[level]({ event: 'sign_in_library' }, message) },
    advanced: {
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isHttps, sameSite: 'lax', httpOnly: true, path: '/' },
      cookiePrefix: isHttps ? '__Host-ratchet' : 'ratchet',
      cookies: { session_token: { name: cookieName } },
      ipAddress: { ipAddressHeaders: ['x-forwarded-for'] },
      database: { generateId: newId },
    },
  })
}

/** What happens with new sessions and accounts, however a person signs in. */
function hooksOf(db: DashboardDb): NonNullable<BetterAuthOptions['databaseHooks']> {
  return {
    session: {
      create: {
        before: ({ userId }) => refuseDisabled(db, userId),
        after: ({ userId }) => endOldSessions(db, userId),
      },
    },
    account: {
      create: {
        async before(account) {
          if (account.providerId === passwordProvider) return
          await endUnproven(db, account.userId)
          // Nothing is called at the provider after the sign-in, so its tokens are not kept.
          return { data: { ...account, accessToken: null, refreshToken: null, idToken: null } }
        },
      },
    },
  }
}

/** However a person signs in, a session is created: not for one whom an operator disabled. */
async function refuseDisabled(db: Pick<DashboardDb, 'user'>, userId: string): Promise<void> {
  const user = await db.user.findUnique({ where: { id: userId }, select: { disabledAt: true } })
  if (user === null || user.disabledAt !== null) throw new APIError('UNAUTHORIZED')
}

/** A right password may be sent as often as somebody likes. */
async function endOldSessions(db: DashboardDb, userId: string): Promise<void> {
  const order = { orderBy: { createdAt: 'desc' }, skip: maxSessions, take: maxSessions } as const
  const old = await db.authSession.findMany({ where: { userId }, select: { id: true }, ...order })
  if (old.length > 0) await db.authSession.deleteMany({ where: { id: { in: old.map(({ id }) => id) } } })
}

/**
 * Ends the ways into an account whose address nobody vouched for, before its owner signs in at the provider for the first time.
 * An owner of another workspace can create an account with any address, by accepting an own invitation, and would keep a
 * password or passkey for it.
 */
async function endUnproven(db: DashboardDb, userId: string): Promise<void> {
  const user = await db.user.findUnique({ where: { id: userId }, select: { emailVerified: true } })
  if (user === null || user.emailVerified) return
  await db.$transaction([
    db.authAccount.deleteMany({ where: { userId, providerId: passwordProvider } }),
    db.authPasskey.deleteMany({ where: { userId } }),
    db.authSession.deleteMany({ where: { userId } }),
  ])
}

function providersOf(provider: IdentityProvider | null) {
  if (provider === null) return []
  const { id: providerId, name, discoveryUrl, clientId, clientSecret } = provider
  const scopes = ['openid', 'email', 'profile']
  const config = [
    { providerId, name, discoveryUrl, clientId, clientSecret, scopes, pkce: true, requireIdTokenVerification: true },
  ]
  return [genericOAuth({ config })]
}

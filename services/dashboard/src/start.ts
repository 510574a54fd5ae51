import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { brandOf } from '@ratchet/contracts/brand'
import { endLostChanges } from '@ratchet/db/change-log'
import type { Pool } from '@ratchet/db/connect-pool'
import { requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createDashboardDb } from '@ratchet/db/dashboard-client'
import { createUpstream } from '@ratchet/http/create-upstream'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { CallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import { NamedKeys } from '@ratchet/service-kit/identity/identity'
import { hashOfPassword } from '@ratchet/service-kit/identity/password-hash'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { type AppParts, startApi } from '@ratchet/work-kit/processes/start-api'
import type { Express } from 'express'
import type { Logger } from 'pino'
import sirv from 'sirv'
import { z } from 'zod'
import { createPgAdmin } from './admin/pg-admin.ts'
import { createPgLimits } from './admin/pg-limits.ts'
import { createPgWork } from './admin/pg-work.ts'
import { createApp } from './app.ts'
import { createPgAudit } from './audit/pg-audit.ts'
import { createPgBudgets } from './budgets/pg-budgets.ts'
import { createPgErasures } from './erasure/pg-erasures.ts'
import { createPgEvents } from './events/pg-events.ts'
import { createPgApiKeys } from './keys/pg-api-keys.ts'
import { mailOfEvent } from './mail/event-mails.ts'
import type { Mailer } from './mail/mail.ts'
import { mailOfCap, mailOfWallet, sendOwnerMails } from './mail/owner-mails.ts'
import { createPgCapNotices, createPgEventNotices, createPgWalletNotices } from './mail/pg-owner-notices.ts'
import { createSmtpMailer } from './mail/smtp-mailer.ts'
import { createPgInvitations } from './members/pg-invitations.ts'
import { createPgMembers } from './members/pg-members.ts'
import { createPgPeople } from './people/pg-people.ts'
import { originsOf } from './people/require-same-origin.ts'
import { sessionCookieName } from './people/session-cookie.ts'
import { createPgProviderKeys } from './provider-keys/pg-provider-keys.ts'
import { createPgSettings } from './settings/pg-settings.ts'
import { createPgAccounts } from './sign-in/pg-accounts.ts'
import { createAuth, type IdentityProvider, prolongAfterMs } from './sign-in/pg-auth.ts'
import { startPersonErasures } from './start-erasures.ts'
import { startRedisParts } from './start-redis-parts.ts'
import { createPgViews } from './views/pg-views.ts'

export const DashboardConfig = z.object({
  ...httpServiceConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  /** The edge's listener for people. It is in the fleet's own network only. */
  SESSION_DOOR_URL: z.url({ protocol: /^https?$/ }),
  /** The keys with which the dashboard signs for the edge. */
  EDGE_KEYS: CallerKeys,
  /** Inference, to which messages of the payment provider and credits of operators are passed on, and the keys that sign for it. */
  INFERENCE_URL: z.url({ protocol: /^https?$/ }),
  INFERENCE_KEYS: CallerKeys,
  /** Where browsers open the dashboard: scheme, host and port. */
  DASHBOARD_ORIGIN: z.url({ protocol: /^https?$/ }).transform((text) => new URL(text).origin),
  /** Signs the cookies of sessions. */
  AUTH_SECRET: z.string().min(32),
  /** Encrypts keys of providers, which inference decrypts. */
  ENCRYPTION_KEYS: NamedKeys,
  /** The folder of the built pages. */
  WEB_FOLDER: z.string().default(path.join(import.meta.dirname, '..', 'web', 'dist')),
  /** A provider of identities (OpenID Connect): the address of its discovery document. Without it, nobody signs in there. */
  OIDC_DISCOVERY_URL: z.url({ protocol: /^https?$/ }).optional(),
  OIDC_CLIENT_ID: z.string().default(''),
  OIDC_CLIENT_SECRET: z.string().default(''),
  /** As its button is named. */
  OIDC_NAME: z.string().default('single sign-on'),
  /** The mail server, with user and password if it needs them. Without it, links are shown to be sent some other way. */
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** The sender of mails, such as `Ratchet <ratchet@example.com>`. */
  EMAIL_FROM: z.string().max(300).default(''),
})
export type DashboardConfig = z.output<typeof DashboardConfig>

/** After this long, a change that began and did not end is sealed with an unknown outcome. No request takes longer. */
const lostChangeMs = 3_600_000

/** How often expired sessions, tokens and invitations are deleted, milliseconds. */
const sweepMs = 600_000

/** Maximum calls of the API at the same time, of all workspaces and of one. Streams of answers and uploads hold one each. */
const apiConnections = 512
const apiConnectionsOfWorkspace = 64

/**
 * Passwords are hashed by half of the processors at most, one for each client, so that many attempts to sign in do not take
 * the time of people who are signed in. A hash takes about 50 ms.
 */
const passwordPlaces = {
  places: Math.max(1, Math.floor(availableParallelism() / 2)),
  maxOfOwner: 1,
  maxWaiting: { ofOwner: 4, ofAll: 200 },
}

/** Starts the dashboard, and resolves with the port it is bound to. */
export function startDashboard(config: DashboardConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const database = { role: 'ratchet_dashboard', max: 10, ...requestTimeouts } as const
  return startApi({ name: 'dashboard', database }, { config, logger, lifecycle }, (parts, pool) =>
    createDashboardApp(config, lifecycle, parts, pool),
  )
}

function sealLostChanges(
  pool: Pool,
  { lifecycle, now, logger }: { lifecycle: Lifecycle; now: () => Date; logger: Logger },
): void {
  const work = async () => {
    const changes = await endLostChanges(pool, new Date(now().getTime() - lostChangeMs))
    if (changes > 0)
      logger.warn({ event: 'lost_changes_sealed', changes }, 'changes were sealed with an unknown outcome')
  }
  const onError = (err: unknown) => logger.warn({ err }, 'changes that did not end were not sealed')
  lifecycle.onStop(repeatEvery({ everyMs: sweepMs, work, onError }))
}

function createDashboardApp(config: DashboardConfig, lifecycle: Lifecycle, parts: AppParts, pool: Pool): Express {
  const { now, newId, logger, health } = parts
  const db = createDashboardDb(pool)
  const people = createPgPeople(pool, db)
  const accounts = createPgAccounts(db)
  const onError = (error: unknown) => logger.warn({ err: error }, 'expired sessions were not deleted')
  lifecycle.onStop(repeatEvery({ everyMs: sweepMs, work: () => accounts.sweep(now()), onError }))
  sealLostChanges(pool, { lifecycle, now, logger })
  startPersonErasures(config, { pool, lifecycle, now, newId, logger })
  const isDraining = () => health.drain.draining
  const redisParts = startRedisParts(config.REDIS_URL, lifecycle, { people, isDraining, now, hash: sha256, logger })
  const upstream = createUpstream({
    origin: new URL(config.SESSION_DOOR_URL).origin,
    connections: apiConnections,
    connectTimeoutMs: 1_000,
  })
  lifecycle.onStop(() => upstream.destroy())
  return createApp({
    ...parts,
    ...redisParts,
    ...signInParts(config, { db, newId, logger }),
    ...readPages(config.WEB_FOLDER),
    people,
    sessions: people,
    accounts,
    settings: createPgSettings(db),
    apiKeys: createPgApiKeys(db),
    budgets: createPgBudgets(db),
    erasures: createPgErasures(db),
    newPseudonym: randomUUID,
    providerKeys: createPgProviderKeys(db),
    members: createPgMembers(db),
    invitations: createPgInvitations(db),
    admin: createPgAdmin(db),
    limits: createPgLimits(db),
    work: createPgWork(pool, db),
    audit: createPgAudit(pool, db),
    views: createPgViews(db),
    events: createPgEvents(pool),
    secrets: createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes }),
    hashPassword: hashOfPassword,
    passwordPlaces: createFairPlaces(passwordPlaces),
    prolongAfterMs,
    randomBytes,
    inference: connectInference(config, { ...lifecycle, now }),
    mailer: startMails(config, lifecycle, { pool, now, logger }),
    upstream,
    apiPlaces: createFairPlaces({ places: apiConnections, maxOfOwner: apiConnectionsOfWorkspace }),
    edgeKey: config.EDGE_KEYS[0],
    isDraining,
  })
}

const paymentClocks = { firstByteMs: 10_000, idleMs: 5_000, totalMs: 15_000 }

function connectInference(config: DashboardConfig, context: Parameters<typeof connectService>[1]): FleetClient {
  const { INFERENCE_URL: url, INFERENCE_KEYS: keys } = config
  return connectService({ audience: 'inference', url, keys, connections: 4, clocks: paymentClocks }, context)
}

/** How often wallets that are low, judges at their cap, and events are searched, milliseconds. */
const noticeMs = 10_000

/** Null without a mail server. @throws Error without a sender */
function startMails(
  { SMTP_URL: url, EMAIL_FROM: from, DASHBOARD_ORIGIN: origin }: DashboardConfig,
  { onStop }: Lifecycle,
  { pool, now, logger }: Pick<AppParts, 'now' | 'logger'> & { readonly pool: Pool },
): Mailer | null {
  if (url === undefined) return null
  if (from === '') throw new Error('EMAIL_FROM is required with SMTP_URL.')
  const mailer = createSmtpMailer({ url, from })
  onStop(() => mailer.close())
  const onError = (error: unknown) => logger.warn({ event: 'mail_failed', err: error }, 'a mail to an owner failed')
  const deps = { mailer, now, onError }
  const [wallets, caps, events] = [createPgWalletNotices(pool), createPgCapNotices(pool), createPgEventNotices(pool)]
  const work = async () => {
    await sendOwnerMails({ ...deps, notices: wallets, mailOf: (notice) => mailOfWallet(origin, notice) })
    await sendOwnerMails({ ...deps, notices: caps, mailOf: (notice) => mailOfCap(origin, notice) })
    await sendOwnerMails({ ...deps, notices: events, mailOf: (notice) => mailOfEvent(origin, notice) })
  }
  onStop(repeatEvery({ everyMs: noticeMs, work, onError }))
  return mailer
}

function signInParts(
  config: DashboardConfig,
  { db, newId, logger }: Pick<AppParts, 'newId' | 'logger'> & { readonly db: ReturnType<typeof createDashboardDb> },
) {
  const { DASHBOARD_ORIGIN: origin, AUTH_SECRET: secret } = config
  const brand = brandOf(config.BRAND_WORD)
  const identityProvider = identityProviderOf(config)
  const cookieName = sessionCookieName(origin)
  const origins = originsOf(origin)
  const { handler } = createAuth({ db, origins, cookieName, secret, identityProvider, newId, logger })
  const oidc = identityProvider === null ? [] : [{ id: identityProvider.id, name: identityProvider.name }]
  return {
    origins,
    cookie: { name: cookieName, secret },
    auth: { handler, origin },
    brand,
    keyPrefix: brand.keyPrefix,
    publicFacts: {
      sign_in: { password: true as const, passkey: true as const, oidc },
      key_prefix: brand.keyPrefix,
      brand_word: brand.word,
    },
  }
}

function identityProviderOf(config: DashboardConfig): IdentityProvider | null {
  const { OIDC_DISCOVERY_URL: discoveryUrl, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config
  if (discoveryUrl === undefined) return null
  return { id: 'oidc', name: config.OIDC_NAME, discoveryUrl, clientId, clientSecret }
}

/** The names of built files contain a hash of their content, so browsers may store them for good. */
function readPages(folder: string) {
  const index = path.join(folder, 'index.html')
  if (!existsSync(index)) return { indexHtml: null, serveFile: null }
  const serveFile = sirv(folder, {
    etag: true,
    gzip: true,
    brotli: true,
    immutable: true,
    maxAge: 31_536_000,
    extensions: [],
  })
  return { indexHtml: readFileSync(index, 'utf8'), serveFile }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

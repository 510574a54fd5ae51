import { randomUUID } from 'node:crypto'
import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool, requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createUpstream } from '@ratchet/http/create-upstream'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { createLiveNotifier } from '@ratchet/work-kit/live/live-notifier'
import { createFailureLog } from '@ratchet/work-kit/outbox/failure-log'
import { createOutboxPublisher, type Outbox } from '@ratchet/work-kit/outbox/publish-outbox'
import { createWebhookPublisher } from '@ratchet/work-kit/outbox/publish-webhook-event'
import type { Logger } from 'pino'
import {
  createNotifyWallet,
  type NotifyWallet,
  withAlertNotices,
  withCreditNotices,
  withTopUpNotices,
} from './billing/notify-wallet.ts'
import { createPgCredits } from './billing/pg-credits.ts'
import type { BillingRouteDeps } from './billing/routes.ts'
import type { AllAccounts } from './billing/sharded-accounts.ts'
import { createPgBudgets } from './budgets/pg-budgets.ts'
import type { BudgetRouteDeps } from './budgets/routes.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { InferenceConfig } from './config.ts'
import { createEndUserNames, type EndUserNames } from './end-users/name-end-users.ts'
import { createPgEndUsers, type EndUserStore } from './end-users/pg-end-users.ts'
import type { InferenceEvents } from './events.ts'
import { createPgFailures } from './outcomes/pg-failures.ts'
import type { FailureRouteDeps } from './outcomes/routes.ts'
import type { PaymentProvider } from './payments/payment-provider.ts'
import { createPgTopUps } from './payments/pg-top-ups.ts'
import { createStripeProvider } from './payments/stripe-provider.ts'
import { createTopUps } from './payments/top-ups.ts'
import type { InstalledProviderDeps } from './provider-keys/operator-routes.ts'
import { createPgProviderOutcomes } from './provider-keys/pg-provider-outcomes.ts'
import type { HoldDeps } from './request/take-hold.ts'
import { createPgLowEvents, createPgWalletAlerts } from './wallet-alerts/pg-wallet-alerts.ts'
import { compareWallets } from './wallet-alerts/wallet-alert.ts'
import { createPgWarningEvents, createPgWarnings } from './warnings/pg-warnings.ts'
import { findStaleCatalog } from './warnings/stale-catalog.ts'
import { findWarnings } from './warnings/warning.ts'

export interface BillingContext {
  readonly config: InferenceConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly events: InferenceEvents
  readonly now: () => Date
  readonly accounts: AllAccounts
  readonly catalog: Pick<Catalog, 'models'>
}

const compareEveryMs = 10_000
const clocks = { firstByteMs: 2_000, idleMs: 2_000, totalMs: 3_000 }
const stripeOrigin = 'https://api.stripe.com'

/** What people see and do about money and failures. Pools of its own, so that no request waits behind a page. */
export function startBilling(
  context: BillingContext,
): BillingRouteDeps &
  BudgetRouteDeps &
  Pick<HoldDeps, 'endUsers'> &
  FailureRouteDeps &
  Pick<InstalledProviderDeps, 'providerOutcomes'> {
  const { config, logger, lifecycle, events, now } = context
  const options = { databaseUrl: config.DATABASE_URL, role: 'ratchet_inference', max: 2, ...requestTimeouts } as const
  const pool = connectProcessPool(options, { logger, ...lifecycle })
  const notify = startWalletNotices(context)
  const accounts = withCreditNotices(context.accounts, notify)
  const alerts = withAlertNotices(createPgWalletAlerts(pool), notify)
  const topUps = createTopUps({
    provider: paymentProvider(context),
    store: withTopUpNotices(createPgTopUps(pool), notify),
    credit: context.accounts.credit,
    returnOrigin: config.DASHBOARD_ORIGIN ?? '',
    onEvent: events.payment,
    newId: () => uuidV7(now().getTime()),
    now,
  })
  const onError = (error: unknown) => logger.warn({ err: error }, 'a wallet alert could not be compared')
  const compare = () => compareWallets({ alerts, wallet: accounts.wallet, newId: randomUUID, now, onError })
  lifecycle.onStop(repeatEvery({ everyMs: compareEveryMs, work: compare, onError }))
  startWarnings(context, pool)
  const endUsers = createPgEndUsers(pool)
  publishEvents(context, createPgLowEvents(pool))
  publishEvents(context, createPgWarningEvents(pool))
  return {
    accounts,
    topUps,
    alerts,
    credits: createPgCredits(pool),
    budgets: createPgBudgets(pool),
    endUsersByNumber: endUsers,
    endUsers: startEndUserNames(context, endUsers),
    failures: createPgFailures(pool),
    providerOutcomes: createPgProviderOutcomes(pool),
    now,
  }
}

/** Null without settings of Stripe. @throws Error when only some are there */
function paymentProvider({ config, lifecycle, now }: BillingContext): PaymentProvider | null {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, DASHBOARD_ORIGIN: origin } = config
  if (secretKey === undefined && webhookSecret === undefined) return null
  if (secretKey === undefined || webhookSecret === undefined || origin === undefined) {
    throw new Error('Stripe needs STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and DASHBOARD_ORIGIN.')
  }
  const upstream = createUpstream({ origin: stripeOrigin, connections: 4, connectTimeoutMs: 5_000 })
  lifecycle.onStop(() => upstream.destroy())
  return createStripeProvider({ upstream, secretKey, webhookSecret, now })
}

/** Notices for open pages. Nothing waits for them, and pages poll without them. */
function startWalletNotices({ config, logger, lifecycle, now }: BillingContext): NotifyWallet {
  const onError = (error: unknown) => logger.warn({ err: error }, 'pages were not notified about a wallet')
  return createNotifyWallet(createLiveNotifier({ redisUrl: config.REDIS_URL, onStop: lifecycle.onStop, onError }), now)
}

const nameEveryMs = 1_000

/** Stores names of end users every second, so that no request waits for it. */
function startEndUserNames({ logger, lifecycle }: BillingContext, store: EndUserStore): EndUserNames {
  const names = createEndUserNames(store.save)
  const onError = (error: unknown) => logger.warn({ err: error }, 'names of end users could not be stored')
  lifecycle.onStop(repeatEvery({ everyMs: nameEveryMs, work: names.flush, onError }))
  return names
}

/** Prices age by the day, and usage is read over a month. */
const staleEveryMs = 3_600_000

/** Writes warnings about budgets, keys and old prices. */
function startWarnings(
  { config, logger, lifecycle, accounts, catalog: { models }, now }: BillingContext,
  pool: Pool,
): void {
  const onError = (error: unknown) => logger.warn({ err: error }, 'warnings could not be found')
  const store = createPgWarnings(pool)
  const work = () => findWarnings({ store, budgetSpend: accounts.budgetSpend, now, onError })
  lifecycle.onStop(repeatEvery({ everyMs: compareEveryMs, work, onError }))
  const { usedSince } = accounts
  const stale = { models, usedSince, store, staleAfterDays: config.CATALOG_STALE_DAYS, now }
  lifecycle.onStop(repeatEvery({ everyMs: staleEveryMs, work: () => findStaleCatalog(stale), onError }))
}

/** Sends events through the alias service, and repeats what was not accepted. */
function publishEvents({ config, logger, lifecycle, now }: BillingContext, outbox: Outbox): void {
  const { ALIAS_URL: url, ALIAS_KEYS: keys } = config
  const client = connectService({ audience: 'alias', url, keys, connections: 1, clocks }, { ...lifecycle, now })
  const failures = createFailureLog(logger, now)
  const publisher = createOutboxPublisher({
    outbox,
    publish: createWebhookPublisher(client),
    now,
    onAttempt: ({ kind, cause, rowId }) => (kind === 'waiting' ? failures.report(cause, rowId) : undefined),
  })
  const onError = (error: unknown) => failures.report(error)
  const stop = repeatEvery({ everyMs: compareEveryMs, work: publisher.publishPending, onError })
  lifecycle.onStop(() => {
    publisher.stop()
    return stop()
  })
}

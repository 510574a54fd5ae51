import { brandOf } from '@ratchet/contracts/brand'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { anything } from '@ratchet/testing/routes-of'
import { unrecorded } from '@ratchet/testing/service-app'
import { silentLogger } from '@ratchet/testing/silent-logger'
import type { InferenceDeps } from './app.ts'
import { catalogOf, modelEntry } from './catalog/catalog.fixture.ts'
import { createTrafficCounts } from './dedicated/traffic.ts'
import { createMemoryIdempotencyStore } from './idempotency/memory-idempotency.ts'
import { createMemoryLedger } from './ledger/memory-ledger.ts'
import { allWatches } from './providers/calls/attempt-watch.ts'
import { createRateLimiter } from './rate-limits/rate-limiter.ts'
import { createAbandonedCalls } from './request/abandoned-calls.ts'
import { createActiveExchanges } from './request/active-exchanges.ts'
import { createMemoryResponseCache } from './response-cache/memory-response-cache.ts'
import { createDeploymentHealth } from './routing/deployment-health.ts'
import type { ProviderDirectory } from './routing/provider-directory.ts'
import { createRetryBudget } from './routing/retry-budget.ts'
import { createMemoryResponses } from './stored-responses/memory-responses.ts'
import { createResponseRecorder } from './stored-responses/response-recorder.ts'
import type { Provider } from './wire/provider.ts'
import { defaultSettings } from './workspace-settings/workspace-settings.ts'

/** The time of the test clock. */
export const testNow = () => new Date('2026-01-01T00:00:00Z')

/** A directory in which every model has one deployment, at this provider. */
export function directoryOf(
  provider: Provider,
  configured: ReadonlySet<string> = new Set(['acme']),
): ProviderDirectory {
  return {
    configured: () => configured,
    ejected: () => [],
    deploymentsOf: ({ id, upstreamModel }) => {
      const limits = { concurrencyMax: 1_000, clockMs: () => 0, random: () => 0, onEjected() {} }
      return {
        deployments: [{ id, host: null, provider, upstreamModel, weight: 1, health: createDeploymentHealth(limits) }],
        budget: createRetryBudget(),
      }
    },
  }
}

/** Pages about money and failures, and holds of training jobs and of calls, have tests of their own, on Postgres. */
const noBilling =
  anything<
    Pick<
      InferenceDeps,
      | 'jobHolds'
      | 'callHolds'
      | 'budgets'
      | 'endUsersByNumber'
      | 'accounts'
      | 'topUps'
      | 'alerts'
      | 'credits'
      | 'failures'
      | 'providerOutcomes'
    >
  >()

/** All dependencies of inference, in memory, over one provider. */
export function testDeps(provider: Provider, changes: Partial<InferenceDeps> = {}): InferenceDeps {
  const responses = createMemoryResponses()
  return {
    catalog: catalogOf([modelEntry('acme/fast'), modelEntry('acme/embed', { kind: 'embedding' })], ['idle']),
    directory: directoryOf(provider),
    changes: unrecorded(testNow),
    ledger: createMemoryLedger(),
    bodies: createBodyBudget(100_000_000),
    answers: createBodyBudget(100_000_000),
    settings: { of: () => defaultSettings },
    limiter: createRateLimiter({ redis: null, now: testNow, onEvent() {} }),
    cache: createMemoryResponseCache({ now: testNow }),
    families: { find: async () => null },
    arms: { assigned() {}, served() {}, failed() {}, answered() {} },
    outcomes: { ended() {}, failed() {} },
    capture: { add() {}, skipTooLarge() {}, async stop() {} },
    idempotency: createMemoryIdempotencyStore({ now: testNow }),
    responses,
    responseRecorder: createResponseRecorder({ store: responses, now: testNow }),
    onNotStored() {},
    dedicated: { traffic: createTrafficCounts(testNow), report() {}, pause: async () => undefined, clockMs: () => 0 },
    wallets: { read: async () => ({ balanceNano: 0n, heldNano: 0n }) },
    jobHolds: noBilling.jobHolds,
    callHolds: noBilling.callHolds,
    accounts: noBilling.accounts,
    budgets: noBilling.budgets,
    endUsersByNumber: noBilling.endUsersByNumber,
    endUsers: { seen() {} },
    topUps: noBilling.topUps,
    alerts: noBilling.alerts,
    credits: noBilling.credits,
    failures: noBilling.failures,
    providerOutcomes: noBilling.providerOutcomes,
    active: createActiveExchanges(),
    abandoned: createAbandonedCalls(),
    countTokensOf: () => async () => null,
    random: () => 0,
    onRetry() {},
    onFallback() {},
    watchCalls: allWatches([]),
    onCharged() {},
    onUnrecorded() {},
    slowReaderMs: 1_000,
    identityKeys: [],
    brand: brandOf(),
    logger: silentLogger,
    metrics: createProcessMetrics('test'),
    health: { drain: createDrain(), checks: {}, now: testNow },
    serveMetrics: true,
    now: testNow,
    ...changes,
  }
}

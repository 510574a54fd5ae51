import { randomBytes } from 'node:crypto'
import { connectProcessPool, requestTimeouts } from '@ratchet/db/connect-process-pool'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { Logger } from 'pino'
import type { InferenceConfig } from './config.ts'
import type { InferenceEvents } from './events.ts'
import type { IdempotencyStore } from './idempotency/idempotency.ts'
import { createPgIdempotencyStore } from './idempotency/pg-idempotency.ts'
import { sweepIdempotency } from './idempotency/pg-idempotency-sweeper.ts'
import { createPgResponses } from './stored-responses/pg-responses.ts'
import type { ResponseStore } from './stored-responses/stored-response.ts'
import { sweepResponses } from './stored-responses/sweep-responses.ts'
import { createKeyOpener } from './workspace-settings/open-provider-keys.ts'
import { pgSettings } from './workspace-settings/pg-settings.ts'
import { createSettingsCache } from './workspace-settings/settings-cache.ts'
import type { SettingsSource } from './workspace-settings/workspace-settings.ts'

export interface RecordsContext {
  readonly config: InferenceConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly events: InferenceEvents
  readonly now: () => Date
}

/** The data in Postgres beside the ledger. */
export interface Records {
  readonly settings: SettingsSource
  readonly idempotency: IdempotencyStore
  readonly responses: ResponseStore
}

/** A change of an alias applies in less than twice this time, including its read. */
const refreshEveryMs = 1_000
const sweepEveryMs = 600_000

export function startRecords(context: RecordsContext): Records {
  // A pool of its own, so that reading long chains of one workspace does not delay the keys and settings of others.
  const pool = connectRecordsPool(context, 5)
  const silenceMs = context.config.DATABASE_SILENCE_MS
  const idempotency = createPgIdempotencyStore({ pool, silenceMs })
  const responses = createPgResponses({ pool: connectRecordsPool(context, 4), silenceMs })
  const settings = createSettingsCache({
    store: pgSettings(pool, { silenceMs }),
    openKeys: keyOpener(context),
    clockMs,
  })
  const { lifecycle, logger, now } = context
  const failed = (what: string) => (error: unknown) => logger.warn({ err: error }, `${what} failed`)
  const sweep = () => Promise.all([sweepIdempotency({ pool }), sweepResponses(responses, now())])
  const refresh = () => settings.refresh()
  lifecycle.onStop(repeatEvery({ everyMs: refreshEveryMs, work: refresh, onError: failed('reading of settings') }))
  lifecycle.onStop(repeatEvery({ everyMs: sweepEveryMs, work: sweep, onError: failed('sweep of old records') }))
  return { settings, idempotency, responses }
}

/** Decides which base URLs workspaces may enter with their keys. */
export function byokRules(config: InferenceConfig): BaseUrlRules {
  return { customHosts: config.BYOK_CUSTOM_HOSTS, allowedHosts: config.BYOK_ALLOWED_HOSTS }
}

function clockMs(): number {
  return performance.now()
}

function keyOpener({ config, events }: RecordsContext) {
  const box = createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes })
  return createKeyOpener({ box, rules: byokRules(config), onUnusable: events.unusableKey })
}

function connectRecordsPool({ config, logger, lifecycle }: RecordsContext, max: number) {
  const pool = connectProcessPool(
    { databaseUrl: config.DATABASE_URL, role: 'ratchet_inference', max, ...requestTimeouts },
    { ...lifecycle, logger },
  )
  return pool
}

import { randomBytes } from 'node:crypto'
import { connectPool } from '@ratchet/db/connect-pool'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { parseHostList } from '@ratchet/http/host-list'
import { type NamedKey, NamedKeys } from '@ratchet/service-kit/identity'
import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { OnStop } from '@ratchet/service-kit/run-process'
import { createSecretBox } from '@ratchet/service-kit/secret-box'
import { Counter, type Registry } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { SettingsSource } from './domain/workspace-settings.ts'
import { pgSettings } from './store/pg-settings.ts'
import { createKeyOpener, type UnusableKey } from './workspace-settings/open-provider-keys.ts'
import { createSettingsCache } from './workspace-settings/settings-cache.ts'

/** What inference is told about the keys that workspaces bring. Spread into its schema. */
export const settingsConfig = {
  /** `k1:<base64>,k0:<base64>`: the first seals, all open. */
  ENCRYPTION_KEYS: NamedKeys,
  /** Whether a workspace may bring any public host as the address of a provider. */
  BYOK_CUSTOM_HOSTS: z.stringbool().default(false),
  /** Hosts that a workspace may bring whatever their address, comma-separated. */
  BYOK_ALLOWED_HOSTS: z.string().default('').transform(readHostList),
}

interface HostRulesConfig {
  readonly BYOK_CUSTOM_HOSTS: boolean
  readonly BYOK_ALLOWED_HOSTS: ReadonlySet<string>
}

/** The rules for base URLs that workspaces bring. */
export function baseUrlRules({ BYOK_CUSTOM_HOSTS, BYOK_ALLOWED_HOSTS }: HostRulesConfig): BaseUrlRules {
  return { customHosts: BYOK_CUSTOM_HOSTS, allowedHosts: BYOK_ALLOWED_HOSTS }
}

export interface StartSettingsOptions {
  readonly databaseUrl: string
  readonly encryptionKeys: readonly [NamedKey, ...NamedKey[]]
  readonly rules: BaseUrlRules
  readonly registry: Registry
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly onStop: OnStop
  /** How old settings of a workspace in use get, milliseconds. */
  readonly refreshEveryMs?: number
}

/** Settings of workspaces, kept at most a few seconds old. */
export function startSettings(options: StartSettingsOptions): SettingsSource {
  const { databaseUrl, encryptionKeys: keys, rules, logger, onStop, refreshEveryMs = 2_000 } = options
  const pool = connectPool({
    databaseUrl,
    role: 'ratchet_inference',
    max: 2,
    statementTimeoutMs: 1_000,
    queryTimeoutMs: 1_000,
    connectTimeoutMs: 1_000,
    onIdleError: (error) => logger.warn({ err: error }, 'database connection lost'),
  })
  onStop(() => pool.end())
  const cache = createSettingsCache({
    store: pgSettings(pool),
    openKeys: createKeyOpener({
      box: createSecretBox({ keys, randomBytes }),
      rules,
      onUnusable: reportUnusable(options.registry, logger),
    }),
    clockMs: () => performance.now(),
  })
  const onError = (error: unknown) => logger.warn({ err: error }, 'settings could not be refreshed')
  onStop(repeatEvery({ everyMs: refreshEveryMs, work: cache.refresh, onError }))
  return cache
}

function reportUnusable(registry: Registry, logger: Pick<Logger, 'error'>): (key: UnusableKey) => void {
  const unusable = new Counter({
    name: 'provider_keys_unusable_total',
    help: 'Keys that workspaces brought and that cannot be used, once for each version.',
    labelNames: ['reason'],
    registers: [registry],
  })
  return ({ id, workspaceId, reason }) => {
    unusable.inc({ reason })
    logger.error(
      { event: 'provider_key_unusable', providerKeyId: id, workspaceId, reason },
      'a provider key is left out',
    )
  }
}

function readHostList(text: string, context: z.RefinementCtx): ReadonlySet<string> {
  try {
    return parseHostList(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
}

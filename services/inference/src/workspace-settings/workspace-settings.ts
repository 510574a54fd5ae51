import type { Budget } from '../budgets/budget.ts'
import type { DedicatedRoute } from '../dedicated/dedicated-route.ts'
import type { AliasRoute } from './alias-route.ts'
import type { VersionRoute } from './version-route.ts'

/** Units per minute; null for no limit. */
export interface RateLimits {
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
}

/** A workspace's own key for a provider, which is used in place of the platform's. */
export interface ProviderKey {
  readonly id: string
  /** The decrypted secret. It is never logged, and sent only to the provider. */
  readonly apiKey: string
  /** The address for its calls; null for the provider's own. */
  readonly baseUrl: string | null
}

/** The settings of a workspace that inference needs, at most a few seconds old. */
export interface WorkspaceSettings {
  readonly loggingEnabled: boolean
  /** Whether exchanges of the Responses API are logged too, while logging is on. */
  readonly logResponses: boolean
  /** Days for which logged exchanges are stored. */
  readonly retentionDays: number
  /** The default of the response cache, for requests without the header. */
  readonly responseCache: boolean
  /** Models to call, in order, when the requested one fails and the request names no fallbacks. */
  readonly fallbackModels: readonly string[]
  readonly limits: RateLimits
  /** Limits of single keys, by key id. */
  readonly keyLimits: ReadonlyMap<string, RateLimits>
  /** Globs over the models and aliases that single keys may call, by key id; a key that is not there may call all. */
  readonly keyModels: ReadonlyMap<string, readonly string[]>
  readonly budgets: readonly Budget[]
  /** By provider id. */
  readonly providerKeys: ReadonlyMap<string, ProviderKey>
  /** Providers whose workspace key cannot be used. The platform's key is not used in its place. */
  readonly unusableProviders: ReadonlySet<string>
  /** The workspace's aliases, by name. */
  readonly aliases: ReadonlyMap<string, AliasRoute>
  /** The workspace's model versions that something serves, by name. */
  readonly versions: ReadonlyMap<string, VersionRoute>
  /** The workspace's dedicated endpoints, by name. */
  readonly dedicated: ReadonlyMap<string, DedicatedRoute>
}

/** Reads the settings of workspaces. */
export interface SettingsSource {
  /**
   * Returns at once when the workspace is in memory, else a promise.
   *
   * @param names of the models that a request asks for, whatever its client has sent. Versions and dedicated endpoints among them
   *   that exist now are in what is returned
   * @throws ServiceError `service_unavailable` when they are unknown and the database does not answer
   */
  of(workspaceId: string, names?: readonly unknown[]): WorkspaceSettings | Promise<WorkspaceSettings>
}

export const defaultSettings: WorkspaceSettings = {
  loggingEnabled: false,
  logResponses: false,
  retentionDays: 30,
  responseCache: false,
  fallbackModels: [],
  limits: { requestsPerMinute: null, tokensPerMinute: null },
  keyLimits: new Map(),
  keyModels: new Map(),
  budgets: [],
  providerKeys: new Map(),
  unusableProviders: new Set(),
  aliases: new Map(),
  versions: new Map(),
  dedicated: new Map(),
}

import type { AliasRoute } from './alias-route.ts'

/** Per minute; null where there is no limit. */
export interface RateLimits {
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
}

/** A workspace's own key for a provider, used in place of the platform's. */
export interface ProviderKey {
  readonly id: string
  /** The secret itself, decrypted; never logged, never sent anywhere but to the provider. */
  readonly apiKey: string
  /** Where its calls go instead of the provider's own address; null for that. */
  readonly baseUrl: string | null
}

/** What a workspace has set that inference needs, at most a few seconds old. */
export interface WorkspaceSettings {
  readonly loggingEnabled: boolean
  /** Days for which what is logged is kept. */
  readonly retentionDays: number
  /** Whether answers may come from the cache when a request does not say. */
  readonly responseCache: boolean
  /** Models to try, in order, when the one asked for fails and the request names no others. */
  readonly fallbackModels: readonly string[]
  readonly limits: RateLimits
  /** Limits of single keys, by key id. */
  readonly keyLimits: ReadonlyMap<string, RateLimits>
  /** By provider id. */
  readonly providerKeys: ReadonlyMap<string, ProviderKey>
  /** Providers the workspace brought a key for that cannot be used: the platform's own does not take its place. */
  readonly unusableProviders: ReadonlySet<string>
  /** The workspace's own names for models, by name. */
  readonly aliases: ReadonlyMap<string, AliasRoute>
}

/** Where settings come from. */
export interface SettingsSource {
  /**
   * At once when the workspace was seen lately, else a promise.
   *
   * @throws ServiceError `service_unavailable` when they are not known and the database does not answer
   */
  of(workspaceId: string): WorkspaceSettings | Promise<WorkspaceSettings>
}

export const defaultSettings: WorkspaceSettings = {
  loggingEnabled: false,
  retentionDays: 30,
  responseCache: false,
  fallbackModels: [],
  limits: { requestsPerMinute: null, tokensPerMinute: null },
  keyLimits: new Map(),
  providerKeys: new Map(),
  unusableProviders: new Set(),
  aliases: new Map(),
}

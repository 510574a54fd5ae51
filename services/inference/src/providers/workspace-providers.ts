import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { createGuardedUpstream } from '@ratchet/http/create-guarded-upstream'
import { createUpstream } from '@ratchet/http/create-upstream'
import type { ResolveHost } from '@ratchet/http/resolve-host'
import type { Dispatcher } from 'undici'
import type { CatalogProvider } from '../catalog/catalog.ts'
import { type Dialect, dialects } from '../wire/dialect.ts'
import type { Provider } from '../wire/provider.ts'
import type { ProviderKey } from '../workspace-settings/workspace-settings.ts'

/** The connection, the address and the key of a provider. */
export interface ProviderAccess {
  readonly apiKey: string
  /** The address that `upstream` and `basePath` were made of, without a slash at the end. */
  readonly baseUrl: string
  readonly upstream: Dispatcher
  /** A path without a slash at the end; empty for none. */
  readonly basePath: string
}

export interface WorkspaceProvidersOptions {
  /** Creates the adapter that the catalog names. */
  readonly createProvider: (provider: CatalogProvider, access: ProviderAccess) => Provider
  /** The address at which the operator has a provider called with such a key, which may be for one region. */
  readonly platformBaseUrl: (provider: CatalogProvider, apiKey: string) => string
  /** Checks the addresses that workspaces enter. */
  readonly rules: BaseUrlRules
  /** Maximum number of connections for one key. */
  readonly connections: number
  readonly connectTimeoutMs: number
  /** Milliseconds from any fixed point. */
  readonly clockMs: () => number
  readonly resolve?: ResolveHost
}

export interface KeyOfWorkspace {
  readonly workspaceId: string
  readonly provider: CatalogProvider
  readonly key: ProviderKey
}

/** The providers that workspaces call with their own keys. */
export interface WorkspaceProviders {
  /** Returns the same object for the same key as long as it is in use. */
  of(owner: KeyOfWorkspace): Provider
  /**
   * Closes providers that were unused for ten minutes, and replaced keys after one minute. Running calls are finished.
   */
  closeUnused(): void
  /** Closes everything at once. */
  destroy(): Promise<void>
}

interface Entry {
  /** Identifies workspace and provider. A newer key in the same place replaces this one. */
  readonly place: string
  readonly provider: Provider
  readonly upstream: Dispatcher
  lastUsedMs: number
}

const idleMs = 600_000
/** Milliseconds after its replacement in which requests that began with a key may still call with it. */
const replacedMs = 60_000

/** Every key has its own connections, so that one workspace cannot use up those of another. */
export function createWorkspaceProviders(options: WorkspaceProvidersOptions): WorkspaceProviders {
  const { clockMs } = options
  const entries = new Map<string, Entry>()
  /** The current entry of each place. */
  const current = new Map<string, Entry>()
  const open = new Set<Dispatcher>()

  function isUnused(entry: Entry, nowMs: number): boolean {
    const timeoutMs = current.get(entry.place) === entry ? idleMs : replacedMs
    return nowMs - entry.lastUsedMs > timeoutMs
  }

  return {
    of({ workspaceId, provider, key }) {
      const place = `${workspaceId}/${provider.id}`
      const id = `${place}/${key.id}`
      const entry = entries.get(id) ?? createEntry(options, { place, provider, key })
      entry.lastUsedMs = clockMs()
      entries.set(id, entry)
      current.set(place, entry)
      open.add(entry.upstream)
      return entry.provider
    },
    closeUnused() {
      const nowMs = clockMs()
      for (const [id, entry] of entries) {
        if (!isUnused(entry, nowMs)) continue
        entries.delete(id)
        if (current.get(entry.place) === entry) current.delete(entry.place)
        const closed = () => open.delete(entry.upstream)
        void entry.upstream.close().then(closed, closed)
      }
    },
    async destroy() {
      await Promise.all([...open].map((upstream) => upstream.destroy()))
    },
  }
}

function createEntry(
  options: WorkspaceProvidersOptions,
  { place, provider, key }: { place: string; provider: CatalogProvider; key: ProviderKey },
): Entry {
  const reached = reach(options, provider, key)
  const access = { apiKey: key.apiKey, ...reached }
  const own = lacksAddress(options, provider, key)
    ? misconfigured(new Error(`${provider.id} needs a base URL`))
    : adapterFor(options, provider, access)
  return { place, provider: own, upstream: reached.upstream, lastUsedMs: 0 }
}

/** The address in the catalog is only an example for such a provider: a key must not be sent to it. */
function lacksAddress(
  { platformBaseUrl }: WorkspaceProvidersOptions,
  provider: CatalogProvider,
  { apiKey, baseUrl }: ProviderKey,
): boolean {
  if (baseUrl !== null || provider.quirks?.needsBaseUrl !== true) return false
  return platformBaseUrl(provider, apiKey) === provider.baseUrl
}

/** A key that its adapter cannot read fails its own calls, not those of others. */
function adapterFor(
  { createProvider }: WorkspaceProvidersOptions,
  provider: CatalogProvider,
  access: ProviderAccess,
): Provider {
  try {
    return createProvider(provider, access)
  } catch (cause) {
    return misconfigured(cause)
  }
}

const everyDialect: ReadonlySet<Dialect> = new Set(dialects)

function misconfigured(cause: unknown): Provider {
  const message = 'The key that the workspace brought for this provider cannot be used.'
  return {
    dialects: everyDialect,
    start(_request, listener) {
      setImmediate(() => listener.onFailure({ kind: 'misconfigured', message, retryAfterMs: null, cause }))
      return { abort() {}, pause() {}, resume() {} }
    },
  }
}

/** An address of a workspace is always checked; an address of the operator is not. */
function reach(
  { rules, connections, connectTimeoutMs, resolve, platformBaseUrl }: WorkspaceProvidersOptions,
  provider: CatalogProvider,
  { apiKey, baseUrl }: ProviderKey,
): Omit<ProviderAccess, 'apiKey'> {
  const pool = { connections, connectTimeoutMs }
  if (baseUrl !== null) {
    const guarded = createGuardedUpstream({ baseUrl, rules, ...pool, ...(resolve === undefined ? {} : { resolve }) })
    return { baseUrl, ...guarded }
  }
  const { origin, pathname } = new URL(platformBaseUrl(provider, apiKey))
  const basePath = pathname.replace(/\/$/, '')
  return { baseUrl: origin + basePath, upstream: createUpstream({ origin, ...pool }), basePath }
}

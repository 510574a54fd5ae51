import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import { type BaseUrlRules, checkBaseUrl } from '@ratchet/http/check-base-url'
import { type SecretBox, SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'
import type { StoredProviderKey } from './settings-store.ts'
import type { ProviderKey } from './workspace-settings.ts'

/** A stored key that cannot be used. The workspace is served without it. */
export interface UnusableKey {
  readonly id: string
  readonly workspaceId: string
  readonly reason: SecretUnreadable['reason'] | 'base_url_refused'
}

/** The decrypted keys by their version; null for one that cannot be used. */
export type OpenedKeys = ReadonlyMap<string, { readonly provider: string; readonly key: ProviderKey | null }>

export interface KeyOpenerOptions {
  readonly box: SecretBox
  /** Decides which base URLs workspaces may enter. */
  readonly rules: BaseUrlRules
  /** Is called once per version of a key. */
  readonly onUnusable: (key: UnusableKey) => void
}

export interface WorkspaceKeys {
  readonly workspaceId: string
  readonly stored: readonly StoredProviderKey[]
  /** The result of the last call. A known version is not decrypted again. */
  readonly known: OpenedKeys
}

/** Decrypts the keys of a workspace. */
export type OpenProviderKeys = (keys: WorkspaceKeys) => OpenedKeys

export function createKeyOpener({ box, rules, onUnusable }: KeyOpenerOptions): OpenProviderKeys {
  const open = (workspaceId: string, { id, provider, baseUrl, ...sealed }: StoredProviderKey): ProviderKey | null => {
    if (baseUrl !== null && checkBaseUrl(baseUrl, rules).kind === 'refused') {
      onUnusable({ id, workspaceId, reason: 'base_url_refused' })
      return null
    }
    try {
      return { id, apiKey: box.open(sealed, providerKeyPlace({ workspaceId, provider })), baseUrl }
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error
      onUnusable({ id, workspaceId, reason: error.reason })
      return null
    }
  }
  return ({ workspaceId, stored, known }) =>
    new Map(
      stored.map((each) => {
        const opened = known.get(each.version) ?? { provider: each.provider, key: open(workspaceId, each) }
        return [each.version, opened]
      }),
    )
}

/** The providers of keys that cannot be used. They are not called with another key instead. */
export function unusableProviders(opened: OpenedKeys): ReadonlySet<string> {
  return new Set([...opened.values()].flatMap(({ provider, key }) => (key === null ? [provider] : [])))
}

/** The keys that can be used, by provider. */
export function usableKeys(opened: OpenedKeys): ReadonlyMap<string, ProviderKey> {
  return new Map([...opened.values()].flatMap(({ provider, key }) => (key === null ? [] : [[provider, key] as const])))
}

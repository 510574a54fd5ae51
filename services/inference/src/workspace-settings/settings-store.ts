import type { WorkspaceSettings } from './workspace-settings.ts'

/** A workspace's key for a provider as it is stored, encrypted. */
export interface StoredProviderKey {
  readonly id: string
  /** Changes whenever the row does. */
  readonly version: string
  readonly provider: string
  readonly baseUrl: string | null
  /** The id of the encryption key. */
  readonly keyId: string
  readonly nonce: Uint8Array<ArrayBuffer>
  readonly ciphertext: Uint8Array<ArrayBuffer>
}

/** The stored part of a workspace's settings. */
export interface StoredSettings extends Omit<WorkspaceSettings, 'providerKeys' | 'unusableProviders'> {
  readonly storedKeys: readonly StoredProviderKey[]
  /** Differs whenever an alias of the workspace was written; empty without aliases. */
  readonly aliasVersion: string
  /** Differs whenever a route of a model version or a dedicated endpoint of the workspace was written; 0 without any. */
  readonly versionRevision: number
}

/** The aliases, model versions and dedicated endpoints of a workspace as they were read last. */
export type KnownRoutes = Pick<
  StoredSettings,
  'aliases' | 'aliasVersion' | 'versions' | 'dedicated' | 'versionRevision'
>

export interface SettingsStore {
  /**
   * The settings of these workspaces in one statement. Workspaces without settings are missing. Aliases and model versions are
   * the most of it: they are read only where their version is not the known one.
   *
   * @param known by workspace id
   * @throws Error when the database does not answer
   */
  read(
    workspaceIds: readonly string[],
    known: ReadonlyMap<string, KnownRoutes>,
  ): Promise<ReadonlyMap<string, StoredSettings>>
}

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
}

export interface SettingsStore {
  /**
   * The settings of these workspaces in one statement. Workspaces without settings are missing.
   *
   * @throws Error when the database does not answer
   */
  read(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, StoredSettings>>
}

import type { SettingsDb } from './ownership.ts'

/** A workspace's own key for a provider, sealed by whoever took it. */
export interface NewProviderKey {
  /** New for every secret. */
  readonly id: string
  readonly workspaceId: string
  readonly provider: string
  readonly ciphertext: Uint8Array<ArrayBuffer>
  /** 12 bytes. */
  readonly nonce: Uint8Array<ArrayBuffer>
  /** Of the encryption key. */
  readonly keyId: string
  readonly baseUrl: string | null
  /** The secret's last 4 characters. */
  readonly display: string
  /** The user who set it; null for the operator. */
  readonly createdBy: string | null
  readonly at: Date
}

/** What anybody is shown of a provider key. There is no query here that reads the secret. */
export interface ProviderKeyRow {
  readonly id: string
  readonly provider: string
  readonly display: string
  readonly baseUrl: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

const shown = { id: true, provider: true, display: true, baseUrl: true, createdAt: true, updatedAt: true } as const

/** Stores a workspace's key for a provider in place of the one it had. Its `createdAt` is that of the first one. */
export async function saveProviderKey(db: SettingsDb, { at, ...key }: NewProviderKey): Promise<ProviderKeyRow> {
  const { workspaceId, provider } = key
  return db.providerKey.upsert({
    where: { workspaceId_provider: { workspaceId, provider } },
    create: { ...key, createdAt: at, updatedAt: at },
    update: { ...key, updatedAt: at },
    select: shown,
  })
}

/** The provider keys of a workspace, by provider. */
export async function listProviderKeys(db: SettingsDb, workspaceId: string): Promise<readonly ProviderKeyRow[]> {
  return db.providerKey.findMany({ where: { workspaceId }, orderBy: { provider: 'asc' }, select: shown })
}

/** Removes a workspace's key for a provider; true when there was one. */
export async function removeProviderKey(
  db: SettingsDb,
  { workspaceId, provider }: { workspaceId: string; provider: string },
): Promise<boolean> {
  const { count } = await db.providerKey.deleteMany({ where: { workspaceId, provider } })
  return count > 0
}

import type { Prisma } from './generated/client.ts'
import type { SettingsDb } from './ownership.ts'

/** A workspace's encrypted key for a provider. */
export interface NewProviderKey {
  /** New for every secret. */
  readonly id: string
  readonly workspaceId: string
  readonly provider: string
  readonly ciphertext: Uint8Array<ArrayBuffer>
  /** 12 bytes. */
  readonly nonce: Uint8Array<ArrayBuffer>
  /** Id of the encryption key. */
  readonly keyId: string
  readonly baseUrl: string | null
  /** The secret's last 4 characters. */
  readonly display: string
  /** The user who set it; null for the operator. */
  readonly createdBy: string | null
  readonly at: Date
}

const shown = { id: true, provider: true, display: true, baseUrl: true, createdAt: true, updatedAt: true } as const

/** The displayed fields of a provider key. No query of this file reads the secret. */
export type ProviderKeyRow = Readonly<Prisma.ProviderKeyGetPayload<{ select: typeof shown }>>

/** Saves a workspace's key for a provider and replaces an older one. `createdAt` remains that of the first. */
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

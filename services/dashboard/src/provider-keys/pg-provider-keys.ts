import type { DashboardDb } from '@ratchet/db/dashboard-client'
import type { Act } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'

export interface SealedProviderKey {
  readonly id: string
  readonly provider: string
  readonly ciphertext: Uint8Array<ArrayBuffer>
  readonly nonce: Uint8Array<ArrayBuffer>
  /** Of the encryption key. */
  readonly keyId: string
  readonly baseUrl: string | null
  readonly display: string
}

const shown = { provider: true, display: true, baseUrl: true, createdAt: true, updatedAt: true } as const

export type ProviderKeyStore = ReturnType<typeof createPgProviderKeys>

/** No query here reads the secret. */
export function createPgProviderKeys(db: DashboardDb) {
  return {
    list: (workspaceId: string) =>
      db.providerKey.findMany({ where: { workspaceId }, orderBy: { provider: 'asc' }, select: shown }),
    save: (act: Act, key: SealedProviderKey) =>
      db.$transaction(async (tx) => {
        const { workspaceId, userId: createdBy, at } = act
        const { provider, display, baseUrl } = key
        const where = { workspaceId_provider: { workspaceId, provider } }
        const select = { display: true, baseUrl: true } as const
        const before = await tx.providerKey.findUnique({ where, select })
        const saved = await tx.providerKey.upsert({
          where,
          create: { ...key, workspaceId, createdBy, createdAt: at, updatedAt: at },
          update: { ...key, createdBy, updatedAt: at },
          select: shown,
        })
        const after = { display, baseUrl }
        await recordChange(tx, act, { action: 'provider_key.saved', subject: provider, before, after })
        return saved
      }),
    /** False when there is none. */
    remove: (act: Act, provider: string) =>
      db.$transaction(async (tx) => {
        const { workspaceId } = act
        const where = { workspaceId, provider }
        const before = await tx.providerKey.findFirst({ where, select: { display: true, baseUrl: true } })
        if (before === null) return false
        await tx.providerKey.deleteMany({ where })
        await recordChange(tx, act, { action: 'provider_key.removed', subject: provider, before })
        return true
      }),
  }
}

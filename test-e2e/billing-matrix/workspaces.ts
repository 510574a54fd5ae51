import { randomBytes, randomUUID } from 'node:crypto'
import { keyDisplayLength, mintApiKey } from '@ratchet/contracts/api-key'
import { brandOf } from '@ratchet/contracts/brand'
import { connectPrisma } from '@ratchet/db/connect'
import { connectPool } from '@ratchet/db/connect-pool'
import { createUser, createWorkspace, saveApiKey, setRole } from '@ratchet/db/operator'
import { topUp } from '@ratchet/db/top-up'
import { changeWorkspaceSettings } from '@ratchet/db/workspace-settings'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'

export interface FreshWorkspace {
  readonly workspaceId: string
  readonly apiKey: string
}

/** Creates workspaces over pooled connections, which takes only milliseconds each. */
export interface WorkspaceOpener {
  open(balanceNano: bigint, fallbackModels: readonly string[]): Promise<FreshWorkspace>
  close(): Promise<void>
}

export async function createWorkspaceOpener(databaseUrl: string): Promise<WorkspaceOpener> {
  const db = connectPrisma({ databaseUrl, max: 4 })
  const pool = connectPool({ databaseUrl, max: 4 })
  const at = new Date()
  const { id: userId } = await createUser(db, { id: randomUUID(), email: 'payer@example.com', name: 'Payer', at })
  return {
    async open(balanceNano, fallbackModels) {
      const id = randomUUID()
      const apiKey = mintApiKey(brandOf().keyPrefix, randomBytes)
      const { id: workspaceId } = await createWorkspace(db, { id, slug: `cell-${id}`, name: 'A cell', at })
      await setRole(db, { workspaceId, userId, role: 'owner', at })
      const key = { hash: hashApiKey(apiKey), display: apiKey.slice(0, keyDisplayLength) }
      await saveApiKey(db, { id: randomUUID(), workspaceId, userId, name: 'cell', ...key, at })
      await topUp(pool, { workspaceId, amountNano: balanceNano, reference: id })
      if (fallbackModels.length > 0) await changeWorkspaceSettings(db, { workspaceId, changes: { fallbackModels } })
      return { workspaceId, apiKey }
    },
    async close() {
      await pool.end()
      await db.$disconnect()
    },
  }
}

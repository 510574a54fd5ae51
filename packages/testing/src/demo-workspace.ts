import { randomBytes } from 'node:crypto'
import { keyDisplayLength, mintApiKey } from '@ratchet/contracts/api-key'
import { brandOf } from '@ratchet/contracts/brand'
import type { Role } from '@ratchet/contracts/identity'
import { parseUsd } from '@ratchet/contracts/money'
import { connectPrisma } from '@ratchet/db/connect'
import { connectPool } from '@ratchet/db/connect-pool'
import { createUser, createWorkspace, saveApiKey, setRole } from '@ratchet/db/operator'
import type { IdentityDb } from '@ratchet/db/ownership'
import { topUp } from '@ratchet/db/top-up'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import { uuidV7 } from '@ratchet/service-kit/values/ids'

/** A user with a role and a valid key. */
export interface DemoMember {
  readonly userId: string
  readonly keyId: string
  readonly apiKey: string
}

export interface DemoWorkspace extends DemoMember {
  readonly workspaceId: string
  readonly slug: string
  /** Adds a user to this workspace, with a key of their own. */
  addMember(role: Role): Promise<DemoMember>
}

export interface DemoWorkspaceOptions {
  /** Credit in US dollars, decimal; '0' leaves the workspace without a wallet. */
  readonly balanceUsd?: string
  /** The role of the first user, to whom `apiKey` belongs. */
  readonly role?: Role
  readonly slug?: string
  /** The brand word of the deployment under test. */
  readonly brandWord?: string
}

/** A workspace for a test: a user, a membership, a key and credit, created with the operator's own commands. */
export async function createDemoWorkspace(
  databaseUrl: string,
  {
    balanceUsd = '10.00',
    role = 'owner',
    slug = `demo-${randomBytes(4).toString('hex')}`,
    brandWord,
  }: DemoWorkspaceOptions = {},
): Promise<DemoWorkspace> {
  const addMember = (workspaceId: string, memberRole: Role) =>
    withPrisma(databaseUrl, (db) => mintMember(db, { workspaceId, role: memberRole, brandWord }))
  const { id: workspaceId } = await withPrisma(databaseUrl, (db) =>
    createWorkspace(db, { id: newId(), slug, name: `Workspace ${slug}`, at: new Date() }),
  )
  await credit(databaseUrl, workspaceId, parseUsd(balanceUsd))
  const first = await addMember(workspaceId, role)
  return { workspaceId, slug, ...first, addMember: (memberRole) => addMember(workspaceId, memberRole) }
}

async function mintMember(
  db: IdentityDb,
  { workspaceId, role, brandWord }: { workspaceId: string; role: Role; brandWord: string | undefined },
): Promise<DemoMember> {
  const at = new Date()
  const email = `${role}-${randomBytes(4).toString('hex')}@example.com`
  const { id: userId } = await createUser(db, { id: newId(), email, name: `Some ${role}`, at })
  await setRole(db, { workspaceId, userId, role, at })
  const keyId = newId()
  const apiKey = mintApiKey(brandOf(brandWord).keyPrefix, randomBytes)
  const display = apiKey.slice(0, keyDisplayLength)
  await saveApiKey(db, { id: keyId, workspaceId, userId, name: 'test', hash: hashApiKey(apiKey), display, at })
  return { userId, keyId, apiKey }
}

async function credit(databaseUrl: string, workspaceId: string, amountNano: bigint): Promise<void> {
  if (amountNano === 0n) return
  const pool = connectPool({ databaseUrl, max: 1 })
  try {
    await topUp(pool, { workspaceId, amountNano, reference: `demo-${workspaceId}`, reason: 'test' })
  } finally {
    await pool.end()
  }
}

async function withPrisma<T>(databaseUrl: string, use: (db: IdentityDb) => Promise<T>): Promise<T> {
  const db = connectPrisma({ databaseUrl, max: 1 })
  try {
    return await use(db)
  } finally {
    await db.$disconnect()
  }
}

function newId(): string {
  return uuidV7(Date.now())
}

import { randomBytes } from 'node:crypto'
import { keyDisplayLength, mintApiKey } from '@ratchet/contracts/api-key'
import { brandOf } from '@ratchet/contracts/brand'
import type { Role } from '@ratchet/contracts/identity'
import { parseUsd } from '@ratchet/contracts/money'
import { mintVoiceKey, type VoiceEnvironment } from '@ratchet/contracts/voice/voice-key'
import { connectPrisma } from '@ratchet/db/connect'
import { connectPool } from '@ratchet/db/connect-pool'
import { createUser, createWorkspace, saveApiKey, setRole } from '@ratchet/db/operator'
import type { IdentityDb } from '@ratchet/db/ownership'
import { topUp } from '@ratchet/db/top-up'
import { initWorkspaceSettings } from '@ratchet/db/workspace-settings'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { type DemoOwner, ensureOwnerPassword } from './demo-owner.ts'
import { demoWorkspace } from './demo-workspace.ts'

const demoCreditUsd = '100'

/** Capture is enabled. The limits stop a program that sends requests without end. */
const demoSettings = { loggingEnabled: true, requestsPerMinute: 10_000, tokensPerMinute: 10_000_000 }

export interface DemoKeys {
  /** Key of the workspace's owner. */
  readonly api_key: string
  /** Key of an ordinary member. */
  readonly member_api_key: string
  /** Key of the owner for the voice interface. */
  readonly voice_api_key: string
}

/** The keys, and how their owner signs in to the dashboard. */
export interface DemoAccess extends DemoKeys, DemoOwner {}

export interface SeedOptions {
  readonly databaseUrl: string
  /** With which the owner signs in, until that person chooses another one. */
  readonly ownerPassword: string
  /** Keys of the previous start; they are used again unless they were revoked. */
  readonly keys: DemoKeys
  readonly brandWord: string | undefined
}

/**
 * Creates the demo workspace: an owner and a member with a key each, credit, and settings. Repeating it changes nothing.
 *
 * @returns valid keys: the given ones, or new ones for those that were revoked; and how the owner signs in
 */
export async function seedDemo({ databaseUrl, keys, ownerPassword, brandWord }: SeedOptions): Promise<DemoAccess> {
  const pool = connectPool({ databaseUrl, max: 1 })
  const db = connectPrisma({ databaseUrl, max: 1 })
  try {
    const { id } = await createWorkspace(db, { id: newId(), slug: demoWorkspace, name: 'Demo', at: new Date() })
    const credit = { amountNano: parseUsd(demoCreditUsd), reference: `demo-credit-${id}`, reason: 'demo workspace' }
    await topUp(pool, { workspaceId: id, ...credit })
    await initWorkspaceSettings(db, { workspaceId: id, settings: demoSettings })
    const member = { workspaceId: id, brandWord }
    return {
      api_key: await ensureKey(db, { ...member, role: 'owner', key: keys.api_key }),
      member_api_key: await ensureKey(db, { ...member, role: 'member', key: keys.member_api_key }),
      voice_api_key: await ensureKey(db, { ...member, role: 'owner', key: keys.voice_api_key, env: 'live' }),
      ...(await ensureOwnerPassword(db, { email: emailOf('owner'), password: ownerPassword })),
    }
  } finally {
    await Promise.all([pool.end(), db.$disconnect()])
  }
}

interface MemberKey {
  readonly workspaceId: string
  readonly role: Role
  readonly key: string
  readonly brandWord: string | undefined
  /** Of a key of the voice interface. */
  readonly env?: VoiceEnvironment
}

async function ensureKey(db: IdentityDb, { workspaceId, role, key, brandWord, env }: MemberKey): Promise<string> {
  const known = await db.apiKey.findUnique({ where: { hash: hashApiKey(key) }, select: { revokedAt: true } })
  if (known !== null && known.revokedAt === null) return key
  const mint = () =>
    env === undefined ? mintApiKey(brandOf(brandWord).keyPrefix, randomBytes) : mintVoiceKey(env, randomBytes)
  const usable = known === null ? key : mint()
  const at = new Date()
  const user = await createUser(db, { id: newId(), email: emailOf(role), name: `Demo ${role}`, at })
  if (known === null) await setRole(db, { workspaceId, userId: user.id, role, at })
  const display = usable.slice(0, keyDisplayLength)
  const hash = hashApiKey(usable)
  const surface = env === undefined ? {} : ({ surface: 'voice', env } as const)
  await saveApiKey(db, { id: newId(), workspaceId, userId: user.id, name: 'npm start', hash, display, at, ...surface })
  return usable
}

function emailOf(role: Role): string {
  return `${role}@demo.example`
}

function newId(): string {
  return uuidV7(Date.now())
}

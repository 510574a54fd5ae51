import { changeKeys } from './change-keys.ts'
import type { Prisma } from './generated/client.ts'
import type { Role } from './generated/enums.ts'
import { mainLedger } from './ledger-urls.ts'
import type { IdentityDb } from './ownership.ts'

/*
 * The operator's writes: workspaces, users, keys and credit. The admin command, the demo workspace and the tests share
 * them. Ids and times come from the caller.
 */

export interface NewUser {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly at: Date
}

/** Creates a user. For an existing e-mail address it returns that user unchanged. */
export async function createUser(db: IdentityDb, { id, email, name, at }: NewUser): Promise<{ id: string }> {
  return db.user.upsert({
    where: { email },
    create: { id, email, name, createdAt: at },
    update: {},
    select: { id: true },
  })
}

export interface NewWorkspace {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly at: Date
  /** Where its wallet is; absent: in the main database. The ledger must know the workspace before. */
  readonly ledger?: string
}

/** Creates a workspace. For an existing slug it returns that workspace unchanged. */
export async function createWorkspace(
  db: IdentityDb,
  { id, slug, name, at, ledger = mainLedger }: NewWorkspace,
): Promise<{ id: string; slug: string; name: string }> {
  return db.workspace.upsert({
    where: { slug },
    create: { id, slug, name, createdAt: at, ledger },
    update: {},
    select: { id: true, slug: true, name: true },
  })
}

/** The workspace with this slug, or null. */
export async function findWorkspace(
  db: IdentityDb,
  slug: string,
): Promise<{ id: string; slug: string; name: string; ledger: string } | null> {
  return db.workspace.findUnique({ where: { slug }, select: { id: true, slug: true, name: true, ledger: true } })
}

/** The user with this e-mail, or null. */
export async function findUser(db: IdentityDb, email: string): Promise<{ id: string; name: string } | null> {
  return db.user.findUnique({ where: { email }, select: { id: true, name: true } })
}

/** Gives a user a role in a workspace, or changes it. The user's keys have it in every request that starts afterwards. */
export async function setRole(
  db: IdentityDb,
  { workspaceId, userId, role, at }: { workspaceId: string; userId: string; role: Role; at: Date },
): Promise<void> {
  await changeKeys(db, () =>
    db.membership.upsert({
      where: { workspaceId_userId: { workspaceId, userId } },
      create: { workspaceId, userId, role, createdAt: at },
      update: { role },
    }),
  )
}

/** The user's role in the workspace, or null for one who is not a member. */
export async function findRole(
  db: IdentityDb,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<Role | null> {
  const where = { workspaceId_userId: { workspaceId, userId } }
  return (await db.membership.findUnique({ where, select: { role: true } }))?.role ?? null
}

/** Owners of the workspace, at most `atMost`. */
export async function findOwners(
  db: IdentityDb,
  { workspaceId, atMost }: { workspaceId: string; atMost: number },
): Promise<readonly { userId: string }[]> {
  const where = { workspaceId, role: 'owner' } as const
  return db.membership.findMany({ where, select: { userId: true }, take: atMost })
}

export interface NewApiKey {
  readonly id: string
  readonly workspaceId: string
  readonly userId: string
  readonly name: string
  /** SHA-256 of the key, 32 bytes. */
  readonly hash: Uint8Array<ArrayBuffer>
  /** The key's first characters, for display. */
  readonly display: string
  readonly at: Date
  /** `voice`: of the voice interface, with `env`. */
  readonly surface?: 'voice'
  readonly env?: 'live' | 'test'
  /** Absent: it does not expire. */
  readonly expiresAt?: Date
  /** Globs; absent: all models. */
  readonly allowedModels?: readonly string[]
}

/** Stores a key's hash. The caller shows the key itself once; it is stored nowhere. */
export async function saveApiKey(db: IdentityDb, { at, allowedModels = [], ...key }: NewApiKey): Promise<void> {
  await db.apiKey.create({ data: { ...key, allowedModels: [...allowedModels], createdAt: at } })
}

/** Revokes the key with this id; true when it was valid. Every request that starts afterwards is refused. */
export async function revokeApiKey(db: IdentityDb, { id, at }: { id: string; at: Date }): Promise<boolean> {
  const { count } = await changeKeys(db, () =>
    db.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: at } }),
  )
  return count > 0
}

/** The key with this id, or null. */
export async function findApiKey(
  db: IdentityDb,
  id: string,
): Promise<{ workspaceId: string; display: string; revokedAt: Date | null } | null> {
  return db.apiKey.findUnique({ where: { id }, select: { workspaceId: true, display: true, revokedAt: true } })
}

const shownOfKey = {
  id: true,
  name: true,
  display: true,
  createdAt: true,
  revokedAt: true,
  user: { select: { email: true } },
} as const

export type ApiKeyRow = Readonly<Prisma.ApiKeyGetPayload<{ select: typeof shownOfKey }>> & {
  /** Null for a key that was never used. */
  readonly lastUsedAt: Date | null
}

/** All keys of a workspace, newest first. */
export async function listApiKeys(db: IdentityDb, workspaceId: string): Promise<readonly ApiKeyRow[]> {
  const keys = await db.apiKey.findMany({ where: { workspaceId }, orderBy: { createdAt: 'desc' }, select: shownOfKey })
  const uses = await db.apiKeyUse.findMany({ where: { keyId: { in: keys.map(({ id }) => id) } } })
  const usedAt = new Map(uses.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]))
  return keys.map((key) => ({ ...key, lastUsedAt: usedAt.get(key.id) ?? null }))
}

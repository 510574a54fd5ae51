import type { Prisma, PrismaClient } from './generated/client.ts'

/** Models that an erasure needs, in a transaction of the caller. */
export type ErasureDb = Pick<PrismaClient, 'personErasure' | 'erasurePart'>

export interface NewErasure {
  readonly id: string
  readonly workspaceId: string
  readonly kind: 'end_user'
  /** The name of the end user. */
  readonly person: string
  readonly personId: string
  /** Random. */
  readonly pseudonym: string
  /** The person who asks; null for the operator. */
  readonly requestedBy: string | null
  readonly at: Date
}

/** Shorter names may be values of any JSON, so that only ids find what is theirs. */
const minNeedleLength = 4

/**
 * Begins to look for what belongs to a person. The services take part one by one.
 *
 * @returns false when there is one for this person already, which is not over
 */
export async function beginErasure(
  db: ErasureDb,
  { at, person, ...erasure }: NewErasure,
  services: readonly string[],
): Promise<boolean> {
  const needle = person.length < minNeedleLength ? null : JSON.stringify(person)
  const data = [{ ...erasure, person, needle, requestedAt: at }]
  const { count } = await db.personErasure.createMany({ data, skipDuplicates: true })
  if (count === 0) return false
  await db.erasurePart.createMany({ data: services.map((service) => ({ erasureId: erasure.id, service })) })
  return true
}

const shown = {
  id: true,
  kind: true,
  person: true,
  state: true,
  pass: true,
  requestedBy: true,
  requestedAt: true,
  confirmedBy: true,
  confirmedAt: true,
  endedAt: true,
  receipt: true,
  receiptSha256: true,
  parts: {
    select: { service: true, pass: true, found: true, erased: true, kept: true, waitsFor: true },
    orderBy: { service: 'asc' },
  },
} as const satisfies Prisma.PersonErasureSelect

export type StoredErasure = Readonly<Prisma.PersonErasureGetPayload<{ select: typeof shown }>>

/** The erasures of a workspace, the newest first. */
export async function listErasures(
  db: Pick<ErasureDb, 'personErasure'>,
  workspaceId: string,
  limit: number,
): Promise<readonly StoredErasure[]> {
  const orderBy = [{ requestedAt: 'desc' as const }, { id: 'desc' as const }]
  return db.personErasure.findMany({ where: { workspaceId }, select: shown, orderBy, take: limit })
}

/** Null when the workspace has no such erasure. */
export async function findErasure(
  db: Pick<ErasureDb, 'personErasure'>,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
): Promise<StoredErasure | null> {
  return db.personErasure.findFirst({ where: { workspaceId, id }, select: shown })
}

/** The one of a person that is not over; null when there is none. */
export async function findOpenErasure(
  db: Pick<ErasureDb, 'personErasure'>,
  { workspaceId, person }: { readonly workspaceId: string; readonly person: string },
): Promise<StoredErasure | null> {
  const where = { workspaceId, person, state: { in: ['finding', 'found', 'erasing'] } }
  return db.personErasure.findFirst({ where, select: shown })
}

export interface Confirmation {
  readonly id: string
  readonly workspaceId: string
  /** The name again. */
  readonly person: string
  readonly confirmedBy: string | null
  readonly at: Date
  /** The first pass after the confirmation. */
  readonly pass: number
}

/** Lets the services erase. False when the numbers are not known yet, the name is another one, or somebody confirmed it before. */
export async function confirmErasure(
  db: Pick<ErasureDb, 'personErasure'>,
  { id, workspaceId, person, confirmedBy, at, pass }: Confirmation,
): Promise<boolean> {
  const where = { id, workspaceId, person, state: 'found' }
  const data = { state: 'erasing', confirmedBy, confirmedAt: at, pass }
  return (await db.personErasure.updateMany({ where, data })).count === 1
}

/** Ends an erasure that was not confirmed, and forgets the name. */
export async function cancelErasure(
  db: Pick<ErasureDb, 'personErasure'>,
  { id, workspaceId, at }: { readonly id: string; readonly workspaceId: string; readonly at: Date },
): Promise<boolean> {
  const where = { id, workspaceId, state: { in: ['finding', 'found'] } }
  const data = { state: 'cancelled', endedAt: at, person: null, needle: null }
  return (await db.personErasure.updateMany({ where, data })).count === 1
}

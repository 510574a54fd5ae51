import { createHash } from 'node:crypto'
import type { PrismaClient } from './generated/client.ts'

/** Models of sign-in that the operator's commands may use. */
export type SignInDb = Pick<PrismaClient, 'authVerification' | 'authAccount' | 'authSession' | '$transaction'>

export type LinkPurpose = 'setup' | 'reset-password'

export interface NewLink {
  readonly id: string
  /** At least 32 characters of random text. It is not stored; whoever has it may use the link. */
  readonly token: string
  readonly at: Date
}

const validMs = 24 * 3_600_000

/** What is stored instead of a token, in the form in which the library of the sign-in searches for it. */
export function hashOfToken(purpose: LinkPurpose, token: string): string {
  return createHash('sha256').update(`${purpose}:${token}`).digest('base64url')
}

/**
 * Creates the link with which the first owner sets up the installation. It is valid for a day, and once.
 *
 * @param origin where browsers open the dashboard
 */
export async function createSetUpLink(
  db: Pick<SignInDb, 'authVerification'>,
  { origin, ...link }: NewLink & { readonly origin: string },
): Promise<string> {
  await saveLink(db, { purpose: 'setup', value: '', ...link })
  return `${origin}/setup?token=${link.token}`
}

/** Creates the link with which a user who lost the password chooses another one. It is valid for a day, and once. */
export async function createResetLink(
  db: Pick<SignInDb, 'authVerification'>,
  { origin, userId, ...link }: NewLink & { readonly origin: string; readonly userId: string },
): Promise<string> {
  await saveLink(db, { purpose: 'reset-password', value: userId, ...link })
  return `${origin}/reset/${link.token}`
}

async function saveLink(
  db: Pick<SignInDb, 'authVerification'>,
  { id, purpose, token, value, at }: NewLink & { readonly purpose: LinkPurpose; readonly value: string },
): Promise<void> {
  const expiresAt = new Date(at.getTime() + validMs)
  const identifier = hashOfToken(purpose, token)
  await db.authVerification.create({ data: { id, identifier, value, expiresAt, createdAt: at, updatedAt: at } })
}

export interface NewPassword {
  /** Of the row, when the user has no password yet. */
  readonly id: string
  readonly userId: string
  /** As service-kit's `hashOfPassword` returns it. */
  readonly hash: string
  readonly at: Date
}

/** How the library of the sign-in names passwords among the ways to sign in. */
export const passwordProvider = 'credential'

/** Gives a user a password, and ends the sessions that began with the one before. */
export async function setPassword(db: SignInDb, { id, userId, hash, at }: NewPassword): Promise<void> {
  const key = { providerId: passwordProvider, accountId: userId }
  await db.$transaction([
    db.authAccount.upsert({
      where: { providerId_accountId: key },
      create: { id, userId, ...key, password: hash, createdAt: at, updatedAt: at },
      update: { password: hash, updatedAt: at },
    }),
    db.authSession.deleteMany({ where: { userId } }),
  ])
}

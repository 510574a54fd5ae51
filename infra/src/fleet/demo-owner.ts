import { passwordProvider, type SignInDb, setPassword } from '@ratchet/db/one-time-links'
import { findUser } from '@ratchet/db/operator'
import type { IdentityDb } from '@ratchet/db/ownership'
import { hashOfPassword, isPassword } from '@ratchet/service-kit/identity/password-hash'
import { uuidV7 } from '@ratchet/service-kit/values/ids'

/** How the owner of the demo workspace signs in to the dashboard. */
export interface DemoOwner {
  readonly owner_email: string
  /** Null when that person has chosen another one. */
  readonly owner_password: string | null
}

/**
 * Gives the owner of the demo workspace a password, unless there is one already.
 *
 * @param password the generated one of this data folder
 */
export async function ensureOwnerPassword(
  db: IdentityDb & SignInDb,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<DemoOwner> {
  const user = await findUser(db, email)
  if (user === null) throw new Error(`there is no user ${email}`)
  const where = { providerId_accountId: { providerId: passwordProvider, accountId: user.id } }
  const account = await db.authAccount.findUnique({ where, select: { password: true } })
  const hash = account?.password ?? null
  if (hash === null) {
    const at = new Date()
    await setPassword(db, { id: uuidV7(at.getTime()), userId: user.id, hash: await hashOfPassword(password), at })
  }
  const isOurs = hash === null || (await isPassword({ hash, password }))
  return { owner_email: email, owner_password: isOurs ? password : null }
}

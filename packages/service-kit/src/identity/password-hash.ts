import { hashPassword, verifyPassword } from '@better-auth/utils/password'

/** The hash of a password by scrypt, with its salt, as the dashboard stores it. Takes about 50 ms outside of the event loop. */
export function hashOfPassword(password: string): Promise<string> {
  return hashPassword(password)
}

/** Whether a password has this hash. */
export function isPassword({ hash, password }: { readonly hash: string; readonly password: string }): Promise<boolean> {
  return verifyPassword(hash, password)
}

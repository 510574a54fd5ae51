import { signOut as signOutEndpoint } from '@ratchet/contracts/dashboard/sign-in'
import { call } from './call.ts'

/** Ends the session and loads the pages again, so that nothing of it stays in memory. */
export async function signOut(): Promise<void> {
  await call(signOutEndpoint, { slug: null })
  window.location.assign('/sign-in')
}

import { connectPrisma } from '@ratchet/db/connect'
import { setPassword } from '@ratchet/db/one-time-links'
import { hashOfPassword } from '@ratchet/service-kit/identity/password-hash'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'

/* People who signed in to the dashboard of a fleet, without a browser. */

export const password = 'correct horse battery staple'

type Place = Pick<RunningFleet, 'url' | 'databaseUrl'>

/** Gives a user a password, and returns the address with which they sign in. */
export async function givePassword({ databaseUrl }: Place, userId: string): Promise<string> {
  const db = connectPrisma({ databaseUrl, max: 1 })
  try {
    const at = new Date()
    await setPassword(db, { id: uuidV7(at.getTime()), userId, hash: await hashOfPassword(password), at })
    const user = await db.user.findUniqueOrThrow({ where: { id: userId }, select: { email: true } })
    return user.email
  } finally {
    await db.$disconnect()
  }
}

export interface PageRequest {
  readonly method?: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly cookie?: string
  /** In addition to those of a page of the dashboard, or in their place. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Sends a request as a page of the dashboard does. */
export function sendFromPage(
  { url }: Pick<Place, 'url'>,
  path: string,
  { method = 'GET', body, cookie, headers = {}, signal }: PageRequest = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      'sec-fetch-site': 'same-origin',
      origin: url.replace('127.0.0.1', 'localhost'),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(cookie === undefined ? {} : { cookie }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** Signs in with {@link password}, and returns the cookie. */
export async function signIn(place: Pick<Place, 'url'>, email: string): Promise<string> {
  const answer = await sendFromPage(place, '/api/auth/sign-in/email', { method: 'POST', body: { email, password } })
  if (answer.status !== 200) throw new Error(`sign-in: ${answer.status}: ${await answer.text()}`)
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

/** Gives a user a password and signs them in. */
export async function signInUser(place: Place, userId: string): Promise<string> {
  return signIn(place, await givePassword(place, userId))
}

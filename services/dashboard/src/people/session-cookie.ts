import { createHmac, timingSafeEqual } from 'node:crypto'

export interface SessionCookie {
  readonly name: string
  /** Signs its value. */
  readonly secret: string
}

/** The cookie of sessions. Over https its prefix binds it to this host and to https. */
export function sessionCookieName(origin: string): string {
  return origin.startsWith('https:') ? '__Host-ratchet_session' : 'ratchet_session'
}

/** The token of the session in a `Cookie` header, or null without a cookie that the dashboard signed. */
export function readSessionToken({ name, secret }: SessionCookie, header: string | undefined): string | null {
  const value = header === undefined ? null : cookieOf(name, header)
  const dot = value?.lastIndexOf('.') ?? -1
  if (value === null || dot <= 0) return null
  const token = value.slice(0, dot)
  const expected = Buffer.from(createHmac('sha256', secret).update(token).digest('base64'))
  const given = Buffer.from(value.slice(dot + 1))
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null
}

function cookieOf(name: string, header: string): string | null {
  const pair = header.split(';').find((each) => each.trimStart().startsWith(`${name}=`))
  if (pair === undefined) return null
  try {
    return decodeURIComponent(pair.slice(pair.indexOf('=') + 1).trim())
  } catch {
    return null
  }
}

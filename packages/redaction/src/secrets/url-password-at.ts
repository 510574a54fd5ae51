import { alphabets } from './alphabets.ts'
import type { UrlKind } from './secret-kind.ts'
import type { SecretSpan } from './secret-span.ts'
import { isPlaceholderValue } from './secret-value.ts'
import type { TextView } from './text-view.ts'

const slash = 0x2f
/** Maximum length of user name and password together. */
const userInfoLength = 512
const kinds: ReadonlyMap<string, UrlKind> = new Map([
  ['postgres', 'postgres_url'],
  ['postgresql', 'postgres_url'],
  ['psycopg2', 'postgres_url'],
  ['asyncpg', 'postgres_url'],
  ['cockroachdb', 'postgres_url'],
  ['mysql', 'mysql_url'],
  ['mysql2', 'mysql_url'],
  ['pymysql', 'mysql_url'],
  ['mariadb', 'mysql_url'],
  ['mongodb', 'mongodb_url'],
  ['srv', 'mongodb_url'],
  ['redis', 'redis_url'],
  ['rediss', 'redis_url'],
  ['amqp', 'amqp_url'],
  ['amqps', 'amqp_url'],
])

/**
 * Finds the password of a URL at the colon before `//`. The rest of the URL is not secret and shows what was redacted.
 */
export function urlPasswordAt(view: TextView, colon: number): SecretSpan | null {
  const { text } = view
  if (text.charCodeAt(colon + 1) !== slash || text.charCodeAt(colon + 2) !== slash) return null
  const start = colon + 3
  const kind = kindOf(text, colon)
  const at = hostMark(view, start, kind)
  if (at < 0) return null
  const password = text.indexOf(':', start) + 1
  if (password === 0 || password >= at) return null
  const value = text.slice(password, at)
  return isPlaceholderValue(value) ? null : { start: password, end: at, kind }
}

function kindOf(text: string, colon: number): UrlKind {
  let start = colon
  while (colon - start < 16 && isSchemePart(text.charCodeAt(start - 1))) start--
  return kinds.get(text.slice(start, colon)) ?? 'url_password'
}

function isSchemePart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
}

/**
 * Index of the last `@` before the host, because a password may contain one too. In web URLs the password cannot contain
 * a `/`; in other URLs people often leave it unescaped.
 */
function hostMark(view: TextView, start: number, kind: UrlKind): number {
  const another = view.next('://', start)
  const end = Math.min(
    view.runEnd(alphabets.authority, start, 1),
    start + userInfoLength,
    another < 0 ? Infinity : another,
  )
  const closing = view.next(kind === 'url_password' ? '/' : '?', start)
  const first = view.next('@', start)
  if (first < 0 || first >= end || (kind === 'url_password' && closing >= 0 && closing < first)) return -1
  const limit = closing > first && closing < end ? closing : end
  return start + view.text.slice(start, limit).lastIndexOf('@')
}

import { alphabets, isDigit } from './alphabets.ts'
import { hasGeneratedPart } from './looks-random.ts'
import type { SecretName } from './secret-name.ts'
import type { SecretSpan } from './secret-span.ts'
import { examinedLength, isPlaceholderValue, type ValueSyntax } from './secret-value.ts'
import type { TextView } from './text-view.ts'

/** Maximum length of each field before the password. */
const fieldLength = 63
/** Ports of Postgres and of what people put before it. Lines with other numbers are often logs or places in code. */
const usualPorts = new Set(['*', '5432', '5433', '6432'])
const password: SecretName = { kind: 'password', password: true, written: '' }
const syntax: ValueSyntax = { quoted: false, loose: false }
/** Port, database and user. Addresses and times have numbers where these begin with a letter. */
const behindHost = /^:(\d{4,5}|\*):[A-Za-z_*][\w.$*-]{0,62}:[A-Za-z_*][\w.$*@-]{0,62}:/
const maxLength = 12 + 2 * fieldLength

/** Finds the password in `host:port:database:user:password`, a line of `.pgpass`. `colon` is the one behind the host. */
export function pgpassAt(view: TextView, colon: number): SecretSpan | null {
  const { text } = view
  const next = text.charCodeAt(colon + 1)
  if (!isDigit(next) && next !== 0x2a) return null
  const fields = behindHost.exec(text.slice(colon, colon + maxLength))
  if (fields === null || !followsHost(text, colon)) return null
  const start = colon + fields[0].length
  const end = view.runEnd(alphabets.bare, start)
  const isLine = end === text.length || '\r\n"\'`'.includes(text.charAt(end))
  const value = text.slice(start, Math.min(end, start + examinedLength))
  const isUsual = usualPorts.has(fields[1] ?? '')
  const isSecret =
    isUsual && isLine
      ? value.length >= 4 && !isPlaceholderValue(value)
      : view.classifier().isSecret(start, end, { name: password, syntax })
  return isSecret && (isUsual || isChosen(value)) ? { start, end, kind: 'pgpass_password' } : null
}

/** Lower-case words with a number occur in logs and keys of caches too. */
function isChosen(value: string): boolean {
  return /[!#$%^&*+=?@~]/.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value)) || hasGeneratedPart(value)
}

/** True when a host, or a `*`, ends at the colon, and nothing of a URL or of another field is before it. */
function followsHost(text: string, colon: number): boolean {
  let start = colon
  while (colon - start <= fieldLength && isHostPart(text.charCodeAt(start - 1))) start--
  if (start === colon || colon - start > fieldLength || '/:@#'.includes(text.charAt(start - 1) || ' ')) return false
  // Addresses and times consist of numbers too.
  return /[A-Za-z*]|^\d{1,3}(?:\.\d{1,3}){3}$/.test(text.slice(start, colon))
}

function isHostPart(code: number): boolean {
  return code === 0x2a || (code < 128 && alphabets.dotted.members[code] === 1)
}

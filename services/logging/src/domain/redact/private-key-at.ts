import { alphabets } from './alphabets.ts'
import type { SecretSpan } from './secret-span.ts'
import type { TextView } from './text-view.ts'

const opening = '-----BEGIN '
const labelLength = 64
/** No private key in this armour is longer; past it the two marks belong to different things. */
const bodyLength = 32_768
/** Where the headers of an armour end and its data have begun. */
const headLength = 1_024

/** The armoured private key that begins at a dash, with its end mark or, when it was cut off, as far as it goes. */
export function privateKeyAt(view: TextView, at: number): SecretSpan | null {
  const { text } = view
  if (!text.startsWith(opening, at)) return null
  const label = text.slice(at + opening.length, at + opening.length + labelLength)
  const labelEnd = label.indexOf('-----')
  if (labelEnd < 0 || !label.slice(0, labelEnd).includes('PRIVATE KEY')) return null
  const body = at + opening.length + labelEnd + 5
  if (!hasArmour(view, body)) return null
  return { start: at, end: keyEnd(view, body), kind: kindOf(text, at, label) }
}

function kindOf(text: string, at: number, label: string): SecretSpan['kind'] {
  if (label.startsWith('PGP')) return 'pgp_private_key'
  return /private_key(?:["\\]|&quot;|%22)/.test(text.slice(Math.max(0, at - 48), at))
    ? 'gcp_service_account_key'
    : 'private_key'
}

function keyEnd(view: TextView, body: number): number {
  const { text } = view
  const closing = view.next('-----END ', body)
  const reopening = view.next(opening, body)
  const cut = closing < 0 || closing - body > bodyLength || (reopening >= 0 && reopening < closing)
  if (cut) return lastArmouredLine(view, body)
  const mark = text.slice(closing + 9, closing + 9 + labelLength).indexOf('-----')
  return mark < 0 ? closing + 9 : closing + 14 + mark
}

/** Whether data begins before the next mark; without any, somebody only writes of keys. */
function hasArmour(view: TextView, body: number): boolean {
  const mark = view.next('-----', body)
  const limit = Math.min(view.text.length, body + headLength, mark < 0 ? Infinity : mark)
  for (let at = body; at < limit; ) {
    const end = view.runEnd(alphabets.base64, at, 2)
    if (end - at >= 24) return true
    at = end + 1
  }
  return false
}

/** The end of the last line that is still headers or Base64. */
function lastArmouredLine(view: TextView, from: number): number {
  const { text } = view
  const limit = Math.min(text.length, from + bodyLength)
  let end = from
  for (let at = from; at < limit; ) {
    const newline = view.next('\n', at)
    const lineEnd = newline < 0 || newline > limit ? limit : newline
    const start = skipSpaces(text, at)
    const data = start < lineEnd ? Math.min(view.runEnd(alphabets.base64, start, 3), limit) : lineEnd
    const isHeader = /^[A-Z][A-Za-z-]{0,30}: /.test(text.slice(at, at + 33))
    if (!isHeader && skipSpaces(text, data) < lineEnd) return data - start >= 16 ? data : end
    if (start < lineEnd) end = isHeader ? lineEnd : data
    at = lineEnd + 1
  }
  return end
}

/** Behind the blanks and the carriage return of a line, some at most. */
function skipSpaces(text: string, from: number): number {
  let at = from
  while (at - from < 32 && ' \t\r'.includes(text.charAt(at) || '.')) at++
  return at
}

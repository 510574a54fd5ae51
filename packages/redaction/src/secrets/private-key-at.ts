import { alphabets } from './alphabets.ts'
import type { SecretSpan } from './secret-span.ts'
import type { TextView } from './text-view.ts'

const opening = '-----BEGIN '
const labelLength = 64
/** Maximum length of an armored private key. Marks further apart do not belong together. */
const bodyLength = 32_768
/** The data must begin within so many characters, behind the headers. */
const headLength = 1_024

/**
 * Finds the armored private key that begins at a dash, up to its end mark, or as far as it goes when it was cut off.
 */
export function privateKeyAt(view: TextView, at: number): SecretSpan | null {
  const { text } = view
  if (!text.startsWith(opening, at)) return null
  const label = text.slice(at + opening.length, at + opening.length + labelLength)
  const labelEnd = label.indexOf('-----')
  if (labelEnd < 0 || !label.slice(0, labelEnd).includes('PRIVATE KEY')) return null
  const body = at + opening.length + labelEnd + 5
  if (!hasArmor(view, body)) return null
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
  if (cut) return lastArmoredLine(view, body)
  const mark = text.slice(closing + 9, closing + 9 + labelLength).indexOf('-----')
  return mark < 0 ? closing + 9 : closing + 14 + mark
}

/** True when data begins before the next mark. Without data the text only mentions keys. */
function hasArmor(view: TextView, body: number): boolean {
  const mark = view.next('-----', body)
  const limit = Math.min(view.text.length, body + headLength, mark < 0 ? Infinity : mark)
  for (let at = body; at < limit; ) {
    const end = view.runEnd(alphabets.base64, at, 2)
    if (end - at >= 24) return true
    at = end + 1
  }
  return false
}

/** The end of the last line that consists of a header or of Base64. */
function lastArmoredLine(view: TextView, from: number): number {
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

/** The index behind blanks and carriage returns, at most 32. */
function skipSpaces(text: string, from: number): number {
  let at = from
  while (at - from < 32 && ' \t\r'.includes(text.charAt(at) || '.')) at++
  return at
}

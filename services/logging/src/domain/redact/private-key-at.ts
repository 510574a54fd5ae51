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
  if (!/[A-Za-z0-9+/]{24}/.test(text.slice(body, body + headLength))) return null
  return { start: at, end: keyEnd(view, body), kind: kindOf(text, at, label) }
}

function kindOf(text: string, at: number, label: string): SecretSpan['kind'] {
  if (label.startsWith('PGP')) return 'pgp_private_key'
  return text.slice(Math.max(0, at - 24), at).includes('private_key"') ? 'gcp_service_account_key' : 'private_key'
}

function keyEnd(view: TextView, body: number): number {
  const { text } = view
  const closing = view.next('-----END ', body)
  const reopening = view.next(opening, body)
  const cut = closing < 0 || closing - body > bodyLength || (reopening >= 0 && reopening < closing)
  if (cut) return lastArmouredLine(text, body)
  const mark = text.slice(closing + 9, closing + 9 + labelLength).indexOf('-----')
  return mark < 0 ? closing + 9 : closing + 14 + mark
}

/** The end of the last line that is still headers or Base64. */
function lastArmouredLine(text: string, from: number): number {
  const limit = Math.min(text.length, from + bodyLength)
  let end = from
  for (let at = from; at < limit; ) {
    const newline = text.indexOf('\n', at)
    const lineEnd = newline < 0 || newline > limit ? limit : newline
    const line = text.slice(at, lineEnd).trim()
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(line) && !/^[A-Z][A-Za-z-]*: /.test(line)) return Math.max(end, at + armoured(line))
    if (line !== '') end = lineEnd
    at = lineEnd + 1
  }
  return end
}

/** How much of a line that is not all armour is: the Base64 it begins with, when that is no word. */
function armoured(line: string): number {
  const length = /^[A-Za-z0-9+/=]*/.exec(line)?.[0].length ?? 0
  return length >= 16 ? length : 0
}

import { redactText } from '@ratchet/redaction/redact-text'

/** Characters behind the cut that are searched too, because a secret may begin before the cut and end after it. */
const lookAhead = 1_024

/**
 * Makes a text that a column can store: without NUL and lone surrogates, cut at `maxLength` UTF-16 units. The cut never
 * leaves half of a secret, which redaction could not recognize. Null for an empty text and for other values.
 */
export function cleanText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null
  const whole =
    value.length <= maxLength ? value : redactText(value.slice(0, maxLength + lookAhead), { shapedOnly: true }).text
  const text = whole.slice(0, maxLength).replaceAll('\0', '').toWellFormed()
  return text === '' ? null : text
}

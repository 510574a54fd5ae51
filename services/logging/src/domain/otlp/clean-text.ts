import { redactText } from '../redact/redact-text.ts'

/** How far behind the cut a secret is looked for that the cut would leave half of. */
const lookAhead = 1_024

/**
 * A text that a column can hold: no NUL, no half of a surrogate pair, cut at `maxLength` UTF-16 units, and no half of a
 * secret, which nobody would know for one; null for what is no text or an empty one.
 */
export function cleanText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null
  const whole =
    value.length <= maxLength ? value : redactText(value.slice(0, maxLength + lookAhead), { shapedOnly: true }).text
  const text = whole.slice(0, maxLength).replaceAll('\0', '').toWellFormed()
  return text === '' ? null : text
}

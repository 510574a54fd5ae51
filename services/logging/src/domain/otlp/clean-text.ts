/**
 * A text that a column can hold: no NUL, no half of a surrogate pair, cut at `maxLength` UTF-16 units; null for what is
 * no text or an empty one.
 */
export function cleanText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null
  const text = value.slice(0, maxLength).replaceAll('\0', '').toWellFormed()
  return text === '' ? null : text
}

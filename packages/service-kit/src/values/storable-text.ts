/** Makes a text storable in Postgres: without NUL and incomplete surrogate pairs, and with at most `maxLength` characters. */
export function storableText(text: string, maxLength: number): string {
  return text.replaceAll('\0', '').slice(0, maxLength).toWellFormed()
}

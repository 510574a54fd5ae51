/** The part of `JSON` that TypeScript's library does not declare: it writes numbers back as they were read. */
interface SourceJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}
const sourceJson = JSON as unknown as SourceJson

/**
 * `JSON.parse` for values that are only written again: ids of more than 53 bits in a tool's arguments stay exact. For
 * this, numbers in the result may be opaque objects, which `JSON.stringify` writes as they were read.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseExact(text: string): unknown {
  // Most texts have no such number, and a reviver takes several times as long.
  if (!mayLoseDigits(text)) return JSON.parse(text)
  return sourceJson.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value
    return sourceJson.rawJSON(source)
  })
}

/** True for an opaque number of `parseExact`, which must be passed on as it is. */
export function isExactNumber(value: unknown): boolean {
  return sourceJson.isRawJSON(value)
}

/** A number of 16 digits, with a fraction or with an exponent, or -0; it may also be part of a text. */
const fragileNumber = /(?:^|[:,[\s])(?:-0|-?(?:\d{16}|\d+[.eE]))/

/** False when `JSON.parse` and `JSON.stringify` write all numbers of a JSON text as they are in it. */
export function mayLoseDigits(text: string): boolean {
  return fragileNumber.test(text)
}

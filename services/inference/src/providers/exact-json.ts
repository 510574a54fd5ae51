/** The part of `JSON` that TypeScript does not know of: numbers that are written back as they were read. */
interface SourceJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}
const sourceJson = JSON as unknown as SourceJson

/**
 * `JSON.parse` for what is only going to be written again: ids of more than 53 bits in a tool's arguments stay what
 * they were. Numbers in the result may therefore be opaque objects.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseExact(text: string): unknown {
  return sourceJson.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value
    return sourceJson.rawJSON(source)
  })
}

import { decodeString, STAND_IN_MARK } from './json-text.ts'
import type { JsonScan } from './scan-json.ts'

/**
 * `JSON.parse` for scanned bytes, without a fault of V8: it may read a key that is written with an escape as another
 * key that an earlier text had in the same place (nodejs/node#63785). After `{"a":1,"\\":2}` the text
 * `{"a":1,"\u006e":128}` then has no `n` here, although it has one at the provider. Escaped keys therefore pass through
 * `JSON.parse` under stand-in names and are renamed afterwards.
 *
 * @throws SyntaxError when the text is not JSON, as `JSON.parse` does
 */
export function parseScanned(bytes: Buffer, scan: JsonScan): Record<string, unknown> {
  if (scan.unsafeKeys.length === 0) return JSON.parse(bytes.toString()) as Record<string, unknown>
  const parts: string[] = []
  let copiedTo = 0
  for (const { start, end } of scan.unsafeKeys) {
    const key = decodeString(bytes, start, end)
    if (key === null) throw new SyntaxError(`Bad escape in the JSON key at byte ${start}`)
    parts.push(bytes.toString('utf8', copiedTo, start), standInFor(key))
    copiedTo = end
  }
  parts.push(bytes.toString('utf8', copiedTo))
  return withOwnKeys(JSON.parse(parts.join(''))) as Record<string, unknown>
}

function standInFor(key: string): string {
  return STAND_IN_MARK + Buffer.from(key, 'utf16le').toString('hex')
}

function ownKey(key: string): string {
  return key.startsWith(STAND_IN_MARK) ? Buffer.from(key.slice(1), 'hex').toString('utf16le') : key
}

/** The recursion is as deep as the text, whose depth the scan has limited. */
function withOwnKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withOwnKeys)
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [ownKey(key), withOwnKeys(child)]))
}

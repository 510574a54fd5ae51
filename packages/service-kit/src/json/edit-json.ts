import { OPEN_BRACE, skipSpace } from './json-text.ts'
import { type JsonScan, scanJson } from './scan-json.ts'

/** A piece of valid JSON, as text or as bytes. */
export type JsonText = string | Buffer

/** By key: the JSON that a member is set to, or undefined to remove it. */
export type JsonEdits = Readonly<Record<string, JsonText | undefined>>

/**
 * Sets and removes top-level members of a JSON object without parsing it. All other bytes are unchanged, so numbers
 * keep their digits and strings their escapes. A member that was not there is appended.
 *
 * @param scan the result of `scanJson` for these bytes, which `JSON.parse` must have accepted
 * @example editTopLevel(body, scan, { model: '"gpt-4o-mini"', models: undefined })
 */
export function editTopLevel(bytes: Buffer, scan: JsonScan, edits: JsonEdits): Buffer {
  const changes = new Map(Object.entries(edits)) // a Map, because the keys come from outside and may be `__proto__`
  let gapStart = skipSpace(bytes, scan.open + 1) // where the comma and white space before a member begin
  let keepsAny = false
  const output = startOutput(bytes, gapStart)
  for (const [key, { keyStart, start, end }] of scan.topLevel) {
    const text = changes.get(key)
    if (text !== undefined || !changes.has(key)) {
      if (keepsAny) output.copy(gapStart, keyStart)
      output.copy(keyStart, text === undefined ? end : start)
      if (text !== undefined) output.put(text)
      keepsAny = true
    }
    gapStart = end
  }
  for (const [key, text] of changes) {
    if (text === undefined || scan.topLevel.has(key)) continue
    output.put(`${keepsAny ? ',' : ''}${JSON.stringify(key)}:`)
    output.put(text)
    keepsAny = true
  }
  output.copy(gapStart, bytes.length)
  return output.join()
}

/**
 * The JSON of the object under `key` after `edits`, as a value for `editTopLevel`. All other bytes of it are unchanged.
 * A missing value, or one that is not an object, counts as an empty object.
 *
 * @example editTopLevel(reply, scan, { usage: editMember(reply, scan, 'usage', { cost_usd: '0.000123' }) })
 */
export function editMember(bytes: Buffer, scan: JsonScan, key: string, edits: JsonEdits): Buffer {
  const span = scan.topLevel.get(key)
  const isObject = span !== undefined && bytes[span.start] === OPEN_BRACE
  return editObject(isObject ? bytes.subarray(span.start, span.end) : Buffer.from('{}'), edits)
}

/** The scan of the whole text has already limited its parts. */
const NO_LIMITS = { maxDepth: Number.POSITIVE_INFINITY, maxKeys: Number.POSITIVE_INFINITY }

function editObject(object: Buffer, edits: JsonEdits): Buffer {
  const scan = scanJson(object, NO_LIMITS)
  if (scan.ok) return editTopLevel(object, scan, edits)
  if (scan.reason !== 'duplicate_key') throw new RangeError(`not a scanned JSON object: ${scan.reason}`)
  return editObject(Buffer.from(JSON.stringify(JSON.parse(object.toString()))), edits) // the last value of a repeated key remains
}

interface Output {
  /** Copies a range of the input. Ranges must be in ascending order. */
  copy(from: number, to: number): void
  put(text: JsonText): void
  join(): Buffer
}

/** Collects the result in few large pieces: adjacent ranges of the input become one. */
function startOutput(bytes: Buffer, length: number): Output {
  const pieces: Buffer[] = []
  let start = 0
  let end = length
  const flush = (nextStart: number) => {
    if (end > start) pieces.push(bytes.subarray(start, end))
    start = nextStart
  }
  return {
    copy(from, to) {
      if (from !== end) flush(from)
      end = to
    },
    put(text) {
      flush(end)
      pieces.push(typeof text === 'string' ? Buffer.from(text) : text)
    },
    join() {
      flush(end)
      return Buffer.concat(pieces)
    },
  }
}

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
  let gapStart = skipSpace(bytes, scan.open + 1) // where the comma and white space before a member begin
  let keepsAny = false
  const output = new Output(bytes, gapStart)
  for (const [key, { keyStart, start, end }] of scan.topLevel) {
    const isEdited = Object.hasOwn(edits, key) // the key comes from outside and may be the name of a prototype's member
    const text = isEdited ? edits[key] : undefined
    if (text !== undefined || !isEdited) {
      if (keepsAny) output.copy(gapStart, keyStart)
      output.copy(keyStart, text === undefined ? end : start)
      if (text !== undefined) output.put(text)
      keepsAny = true
    }
    gapStart = end
  }
  for (const key of Object.keys(edits)) {
    const text = edits[key]
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

/** Collects the result in few large pieces: adjacent ranges of the input become one. */
class Output {
  readonly #bytes: Buffer
  readonly #pieces: Buffer[] = []
  /** The range of the input that is not a piece yet. */
  #start = 0
  #end: number

  constructor(bytes: Buffer, length: number) {
    this.#bytes = bytes
    this.#end = length
  }

  /** Copies a range of the input. Ranges must be in ascending order. */
  copy(from: number, to: number): void {
    if (from !== this.#end) this.#flush(from)
    this.#end = to
  }

  put(text: JsonText): void {
    this.#flush(this.#end)
    this.#pieces.push(typeof text === 'string' ? Buffer.from(text) : text)
  }

  join(): Buffer {
    this.#flush(this.#end)
    return Buffer.concat(this.#pieces)
  }

  #flush(nextStart: number): void {
    if (this.#end > this.#start) this.#pieces.push(this.#bytes.subarray(this.#start, this.#end))
    this.#start = nextStart
  }
}

import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  decodeString,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from '@ratchet/service-kit/json/json-text'
import type { JsonScan } from '@ratchet/service-kit/json/scan-json'

/**
 * The canonical text of a JSON object: keys sorted at every depth, no white space. Strings and numbers stay as they
 * were written, so two numbers that a double cannot distinguish stay different. Takes linear time.
 *
 * @param body bytes that `JSON.parse` accepted, with the result of `scanJson`, which limits their depth
 * @param without top-level keys to omit
 */
export function canonicalBody(
  { bytes, scan }: { readonly bytes: Buffer; readonly scan: JsonScan },
  without: ReadonlySet<string> = new Set(),
): Buffer {
  const compact = compactText(bytes, scan.open)
  const sorted = { bytes: Buffer.allocUnsafe(bytes.length), length: 0 }
  writeMembers(sorted, compact, { object: compact.top, without })
  return sorted.bytes.subarray(0, sorted.length)
}

/** The position of an object's member in the compact text, including its key. */
interface Member {
  readonly key: string
  readonly start: number
  end: number
  /** The objects in its value that are not inside another object of it. */
  readonly objects: CompactObject[]
}

interface CompactObject {
  readonly start: number
  end: number
  readonly members: Member[]
}

interface Compact {
  readonly bytes: Buffer
  readonly top: CompactObject
}

interface Growing {
  readonly bytes: Buffer
  length: number
}

/**
 * The first of two passes: writes everything in the order of the text, without white space and without the commas of
 * objects, which the second pass writes. No pass writes more than the length of the text.
 */
function compactText(bytes: Buffer, open: number): Compact {
  const output = { bytes: Buffer.allocUnsafe(bytes.length), length: 0 }
  const found: CompactObject[] = []
  copyValue({ bytes, output }, open, found)
  const [top] = found
  if (top === undefined) throw new RangeError('not a scanned JSON object')
  return { bytes: output.bytes, top }
}

interface Copying {
  readonly bytes: Buffer
  readonly output: Growing
}

/** Copies the value at `at`, adds its outermost objects to `objects`, and returns the offset of its end. */
function copyValue(copying: Copying, at: number, objects: CompactObject[]): number {
  const byte = copying.bytes[at]
  if (byte === OPEN_BRACE) return copyObject(copying, at, objects)
  if (byte === OPEN_BRACKET) return copyArray(copying, at, objects)
  if (byte === QUOTE) return copyString(copying, at)
  return copyScalar(copying, at)
}

function copyObject(copying: Copying, at: number, objects: CompactObject[]): number {
  const { bytes, output } = copying
  const object: CompactObject = { start: output.length, end: 0, members: [] }
  objects.push(object)
  put(output, OPEN_BRACE)
  let next = skipSpace(bytes, at + 1)
  while (next < bytes.length && bytes[next] !== CLOSE_BRACE) {
    next = copyMember(copying, next, object)
    if (bytes[next] === COMMA) next = skipSpace(bytes, next + 1)
  }
  put(output, CLOSE_BRACE)
  object.end = output.length
  return next + 1
}

function copyMember(copying: Copying, at: number, { members }: CompactObject): number {
  const { bytes, output } = copying
  const keyEnd = endOfString(bytes, at + 1)
  if (keyEnd === -1) throw new RangeError('not a scanned JSON object')
  const key = decodeString(bytes, at + 1, keyEnd - 1) ?? bytes.toString('latin1', at + 1, keyEnd - 1)
  const member: Member = { key, start: output.length, end: 0, objects: [] }
  members.push(member)
  copyString(copying, at)
  put(output, COLON)
  const next = copyValue(copying, skipSpace(bytes, skipSpace(bytes, keyEnd) + 1), member.objects)
  member.end = output.length
  return skipSpace(bytes, next)
}

function copyArray(copying: Copying, at: number, objects: CompactObject[]): number {
  const { bytes, output } = copying
  put(output, OPEN_BRACKET)
  let next = skipSpace(bytes, at + 1)
  while (next < bytes.length && bytes[next] !== CLOSE_BRACKET) {
    next = skipSpace(bytes, copyValue(copying, next, objects))
    if (bytes[next] !== COMMA) continue
    put(output, COMMA)
    next = skipSpace(bytes, next + 1)
  }
  put(output, CLOSE_BRACKET)
  return next + 1
}

const CLOSE_BRACKET = 0x5d
/** Up to this many bytes a copy byte by byte is faster than a native call. */
const SHORT = 48

function copyString({ bytes, output }: Copying, at: number): number {
  const end = endOfString(bytes, at + 1)
  if (end === -1) throw new RangeError('not a scanned JSON object')
  if (end - at > SHORT) {
    bytes.copy(output.bytes, output.length, at, end)
    output.length += end - at
  } else {
    for (let from = at; from < end; from += 1) put(output, bytes[from] ?? 0)
  }
  return end
}

/** Copies a number, `true`, `false` or `null`, up to the first byte that cannot be part of one. */
function copyScalar({ bytes, output }: Copying, at: number): number {
  let end = at
  for (let byte = bytes[end]; byte !== undefined && isOfScalar(byte); byte = bytes[end]) {
    put(output, byte)
    end += 1
  }
  if (end === at) throw new RangeError('not a scanned JSON object')
  return end
}

/** True for letters, digits, `+`, `-` and `.`: every byte above space that is not structure. */
function isOfScalar(byte: number): boolean {
  return byte > 0x20 && byte !== COMMA && byte !== CLOSE_BRACE && byte !== CLOSE_BRACKET
}

function put(output: Growing, byte: number): void {
  output.bytes[output.length] = byte
  output.length += 1
}

const nothing: ReadonlySet<string> = new Set()

/** The second pass: writes the same text with the members of every object sorted by key. */
function writeMembers(
  output: Growing,
  compact: Compact,
  { object, without }: { object: CompactObject; without: ReadonlySet<string> },
): void {
  const members = without.size === 0 ? object.members : object.members.filter(({ key }) => !without.has(key))
  put(output, OPEN_BRACE)
  for (const [index, member] of sortedByKey(members).entries()) {
    if (index > 0) put(output, COMMA)
    writeMember(output, compact, member)
  }
  put(output, CLOSE_BRACE)
}

/** A repeated key stays repeated, in the order of the text, because parsers differ in which of the two they use. */
function sortedByKey(members: readonly Member[]): readonly Member[] {
  return members.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
}

function writeMember(output: Growing, compact: Compact, { start, end, objects }: Member): void {
  let copiedTo = start
  for (const object of objects) {
    copyRange(output, compact, copiedTo, object.start)
    writeMembers(output, compact, { object, without: nothing })
    copiedTo = object.end
  }
  copyRange(output, compact, copiedTo, end)
}

function copyRange(output: Growing, { bytes }: Compact, from: number, to: number): void {
  bytes.copy(output.bytes, output.length, from, to)
  output.length += to - from
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { invalidRequest, ServiceError } from '../http/service-error.ts'

/** A body of JSON that is an object with one long list, whose items are parsed later, one by one. */
export interface SplitBody {
  /** The object as `JSON.parse` reads it, with an empty list in place of the long one. */
  readonly rest: unknown
  /** The JSON of each item, which may be invalid; null when the object has no such list. */
  readonly items: AsyncIterable<string> | null
}

/** Maximum bytes of everything besides the list: what parses in a few milliseconds, whatever it contains. */
const maxRestBytes = 64 * kibibyte
/** Bytes that are searched for the end of an item before other work has its turn. */
const bytesOfTurn = 256 * kibibyte

/**
 * Finds the list with the name at the top level of a body, without parsing it. Each step takes a few milliseconds at most.
 *
 * @throws ServiceError 400 when the body is not JSON, or has too much besides the list
 */
export function* splitList(bytes: Uint8Array, name: string): Generator<void, SplitBody> {
  const list = yield* findList(bytes, name)
  const size = bytes.length - (list === null ? 0 : list.end - list.start)
  if (size > maxRestBytes) throw invalidRequest(name, `\`${name}\` must be a list, and other fields must be short.`)
  const around = list === null ? [bytes] : [bytes.subarray(0, list.start), emptyList, bytes.subarray(list.end)]
  const rest = parsed(new TextDecoder().decode(Buffer.concat(around)))
  return { rest, items: list === null ? null : itemsOf(bytes, list) }
}

interface Range {
  readonly start: number
  readonly end: number
}

const emptyList = Buffer.from('[]')
const [quote, backslash, comma, colon] = Buffer.from('"\\,:')
const [openList, closeList] = Buffer.from('[]')

/** By byte: what it adds to the depth. */
const depthOf = new Int8Array(256)
for (const byte of Buffer.from('[{')) depthOf[byte] = 1
for (const byte of Buffer.from(']}')) depthOf[byte] = -1

/** By byte: 1 for brackets, braces and commas. */
const isMark = new Uint8Array(256)
for (const byte of Buffer.from('[]{},')) isMark[byte] = 1

function* findList(bytes: Uint8Array, name: string): Generator<void, Range | null> {
  let depth = 0
  let start = -1
  let found: Range | null = null
  let turnEnd = bytesOfTurn
  for (let at = nextMark(bytes, 0); at < bytes.length; at = nextMark(bytes, at + 1)) {
    const change = depthOf[bytes[at] as number] as number
    depth += change
    if (start >= 0 && depth === 1 && change < 0) {
      found = { start, end: at + 1 }
      start = -1
    }
    if (depth === 1 && change >= 0 && start < 0) {
      const value = memberValue(bytes, at + 1, name)
      if (value !== null && found !== null) throw invalidRequest(name, `\`${name}\` must be there once only.`)
      if (value !== null && bytes[value] === openList) start = value
    }
    if (at < turnEnd) continue
    turnEnd = at + bytesOfTurn
    yield
  }
  return found
}

/** Index of the value of the member that begins at or after `from`; null when it has another name. */
function memberValue(bytes: Uint8Array, from: number, name: string): number | null {
  const first = skipSpace(bytes, from)
  if (bytes[first] !== quote) return null
  const end = endOfString(bytes, first)
  const isLong = end - first > 6 * name.length + 2
  if (isLong || parsedOrNull(Buffer.from(bytes.subarray(first, end)).toString()) !== name) return null
  const after = skipSpace(bytes, end)
  return bytes[after] === colon ? skipSpace(bytes, after + 1) : null
}

async function* itemsOf(bytes: Uint8Array, { start, end }: Range): AsyncGenerator<string> {
  if (bytes[skipSpace(bytes, start + 1)] === closeList) return
  let depth = 0
  let from = start + 1
  let turnEnd = from + bytesOfTurn
  for (let at = nextMark(bytes, from); at < end; at = nextMark(bytes, at + 1)) {
    if (at > turnEnd) {
      turnEnd = at + bytesOfTurn
      await nextTurn()
    }
    depth += depthOf[bytes[at] as number] as number
    const isEnd = depth < 0 || (depth === 0 && bytes[at] === comma)
    if (!isEnd) continue
    yield Buffer.from(bytes.buffer, bytes.byteOffset + from, at - from).toString()
    from = at + 1
  }
}

/** Index of the next bracket, brace or comma that is not in a string, from `at` on; the length when there is none. */
function nextMark(bytes: Uint8Array, at: number): number {
  let next = at
  while (next < bytes.length) {
    const byte = bytes[next] as number
    if (isMark[byte] === 1) return next
    next = byte === quote ? endOfString(bytes, next) : next + 1
  }
  return bytes.length
}

/** Index behind the string that begins with the quote; the length when it does not end. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(quote as number, start + 1); at >= 0; at = bytes.indexOf(quote as number, at + 1)) {
    let backslashes = at
    while (bytes[backslashes - 1] === backslash) backslashes -= 1
    if ((at - backslashes) % 2 === 0) return at + 1
  }
  return bytes.length
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at] === 0x20 || (bytes[at] as number) === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1
  return at
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch (cause) {
    throw new ServiceError('invalid_request', 'The body is not JSON.', { cause })
  }
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

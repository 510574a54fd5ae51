import { setImmediate as nextTurn } from 'node:timers/promises'
import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { invalidRequest, ServiceError } from '../http/service-error.ts'

/** A body of JSON that is an object with one long list, whose items are parsed later, one by one. */
export interface SplitBody {
  /** The object as `JSON.parse` reads it, with an empty list in place of the long one. */
  readonly rest: unknown
  /** The JSON of each item, which may be invalid, or null for one that is too long; null when the object has no such list. */
  readonly items: AsyncIterable<string | null> | null
}

/** Maximum bytes of everything besides the list: what parses in a few milliseconds, whatever it contains. */
const maxRestBytes = 64 * kibibyte
/** Bytes that are read, whatever they are, before other work has its turn. */
const bytesOfTurn = 64 * kibibyte

/**
 * Finds the list with the name at the top level of a body, without parsing it. Each step takes a few milliseconds at most.
 *
 * @throws ServiceError 400 when the body is not JSON, or has too much besides the list
 */
export function* splitList(
  bytes: Uint8Array,
  name: string,
  { maxItemBytes }: { readonly maxItemBytes: number },
): Generator<void, SplitBody> {
  const list = yield* findList(bytes, name)
  const size = bytes.length - (list === null ? 0 : list.end - list.start)
  if (size > maxRestBytes) throw invalidRequest(name, `\`${name}\` must be a list, and other fields must be short.`)
  const around = list === null ? [bytes] : [bytes.subarray(0, list.start), emptyList, bytes.subarray(list.end)]
  const rest = parsed(new TextDecoder().decode(Buffer.concat(around)))
  return { rest, items: list === null ? null : itemsOf(bytes, list, maxItemBytes) }
}

interface Range {
  readonly start: number
  readonly end: number
}

const emptyList = Buffer.from('[]')
const [quote, backslash, comma, colon] = Buffer.from('"\\,:')
const [openList, closeList, openObject, closeObject] = Buffer.from('[]{}')
/** From the byte that opens a list or object to the one that closes it. */
const toCloser = 2

/** A walk over the bytes of JSON, which can be interrupted anywhere, also in a string. */
interface Walk {
  readonly bytes: Uint8Array
  /** Index of the next byte. */
  at: number
  isInString: boolean
  /** The last string that ended, with its quotes. */
  stringStart: number
  stringEnd: number
}

const startWalk = (bytes: Uint8Array, at: number): Walk => ({
  bytes,
  at,
  isInString: false,
  stringStart: at,
  stringEnd: at,
})

/** By byte: 1 for the marks of JSON outside strings, and for the quote. */
const isMark = new Uint8Array(256)
for (const byte of Buffer.from('[]{},:"')) isMark[byte] = 1

/** Index of the next mark outside strings, behind which the walk continues; -1 when there is none before `until`. */
function nextMark(walk: Walk, until: number): number {
  const { bytes } = walk
  let { at } = walk
  for (;;) {
    if (walk.isInString) {
      while (at < until && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
      if (at >= until) break
      at += 1
      walk.isInString = false
      walk.stringEnd = at
    }
    while (at < until && isMark[bytes[at] as number] === 0) at += 1
    if (at >= until) break
    if (bytes[at] !== quote) {
      walk.at = at + 1
      return at
    }
    walk.isInString = true
    walk.stringStart = at
    at += 1
  }
  walk.at = at
  return -1
}

function* findList(bytes: Uint8Array, name: string): Generator<void, Range | null> {
  const walk = startWalk(bytes, 0)
  const search = startSearch(walk, name)
  for (let until = bytesOfTurn; ; until += bytesOfTurn) {
    const end = Math.min(until, bytes.length)
    for (let at = nextMark(walk, end); at >= 0; at = nextMark(walk, end)) search.see(at)
    if (end === bytes.length) return search.found()
    yield
  }
}

/** Looks at one mark after the other. */
function startSearch(walk: Walk, name: string): { see(at: number): void; found(): Range | null } {
  const { bytes } = walk
  /** What closes each open bracket and brace. Its memory is used only as far as the nesting goes. */
  const closers = new Uint8Array(bytes.length)
  let depth = 0
  let start = -1
  let found: Range | null = null
  /** The value that begins next is the member's. */
  let isNamed = false

  function open(at: number, byte: number): void {
    if (isNamed && byte === openList) start = at
    closers[depth] = byte + toCloser
    depth += 1
  }

  function close(at: number, byte: number): void {
    depth -= 1
    if (depth < 0 || closers[depth] !== byte) throw notJson()
    if (depth !== 1 || start < 0) return
    found = { start, end: at + 1 }
    start = -1
  }

  return {
    see(at) {
      const byte = bytes[at] as number
      if (byte === openList || byte === openObject) open(at, byte)
      else if (byte === closeList || byte === closeObject) close(at, byte)
      isNamed = byte === colon && depth === 1 && isString(walk, name)
      if (isNamed && found !== null) throw invalidRequest(name, `\`${name}\` must be there once only.`)
    },
    found: () => found,
  }
}

/** True when the last string is the word, with escapes or without. */
function isString({ bytes, stringStart, stringEnd }: Walk, word: string): boolean {
  if (stringEnd - stringStart > 6 * word.length + 2) return false
  try {
    return JSON.parse(Buffer.from(bytes.subarray(stringStart, stringEnd)).toString()) === word
  } catch {
    return false
  }
}

/** The items of a list whose brackets match. */
async function* itemsOf(bytes: Uint8Array, { start, end }: Range, maxItemBytes: number): AsyncGenerator<string | null> {
  const walk = startWalk(bytes, start + 1)
  const last = end - 1
  let depth = 0
  let from = walk.at
  let isEmpty = true
  const item = (until: number) =>
    until - from > maxItemBytes ? null : Buffer.from(bytes.buffer, bytes.byteOffset + from, until - from).toString()
  for (let until = from; until < last; ) {
    until = Math.min(until + bytesOfTurn, last)
    for (let at = nextMark(walk, until); at >= 0; at = nextMark(walk, until)) {
      const byte = bytes[at]
      if (byte === openList || byte === openObject) depth += 1
      else if (byte === closeList || byte === closeObject) depth -= 1
      if (depth > 0 || byte !== comma) continue
      isEmpty = false
      yield item(at)
      from = at + 1
    }
    await nextTurn()
  }
  const rest = item(last)
  if (!isEmpty || rest === null || rest.trim() !== '') yield rest
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch (cause) {
    throw notJson(cause)
  }
}

function notJson(cause?: unknown): ServiceError {
  return new ServiceError('invalid_request', 'The body is not JSON.', { cause })
}

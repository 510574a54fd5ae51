import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  decodeString,
  endOfString,
  isUnsafeKey,
  OPEN_BRACE,
  QUOTE,
  skipSpace,
  spells,
  trimSpace,
} from './json-text.ts'

export interface ScanLimits {
  /** Nesting of containers; the top-level object is the first. */
  readonly maxDepth: number
  /**
   * Keys in the whole text. The same number of objects and arrays is allowed, because they are as slow to parse as
   * keys.
   */
  readonly maxKeys: number
  /** Members and elements of all objects and arrays together; unlimited when absent. */
  readonly maxValues?: number
  /** Keys that are written with an escape, which are much slower to parse; unlimited when absent. */
  readonly maxEscapedKeys?: number
  /** True for answers: a model may write a member `__proto__` below the top level, such as in the arguments of a call. */
  readonly mayHaveProto?: boolean
}

/**
 * Byte offsets of one member of the top-level object: the opening quote of its key, and its value from `start` to
 * `end`.
 */
export interface MemberSpan {
  readonly keyStart: number
  readonly start: number
  readonly end: number
}

export interface JsonScan {
  readonly ok: true
  /** By decoded key, in the order of the text. */
  readonly topLevel: ReadonlyMap<string, MemberSpan>
  /** Offset of the opening brace of the top-level object. */
  readonly open: number
  readonly depth: number
  readonly keys: number
  /** Keys at any depth, without their quotes, that `JSON.parse` may read wrongly (parse-scanned.ts). */
  readonly unsafeKeys: readonly KeySpan[]
}

export interface KeySpan {
  readonly start: number
  readonly end: number
}

export type RefusalReason =
  | 'depth'
  | 'keys'
  | 'values'
  | 'escaped_keys'
  | 'forbidden_key'
  | 'duplicate_key'
  | 'not_an_object'
  | 'malformed'

export interface ScanRefusal {
  readonly ok: false
  readonly reason: RefusalReason
  readonly offset: number
  readonly key?: string
}

export type ScanResult = JsonScan | ScanRefusal

/**
 * Reads raw JSON once before it is parsed, in linear time and without recursion. It refuses text that is dangerous to
 * parse (too deep, too many keys, `__proto__` in any spelling unless it is allowed) or ambiguous (a repeated top-level key, of which a
 * provider may read the other value). It returns the position of each top-level value.
 *
 * It checks only as much grammar as it needs, so `JSON.parse` must still accept the text; when it does, every span is
 * exact. Never throws, whatever the bytes are.
 */
export function scanJson(bytes: Buffer, limits: ScanLimits): ScanResult {
  const open = skipSpace(bytes, 0)
  if (bytes[open] !== OPEN_BRACE) return refusal(startsOtherValue(bytes[open]) ? 'not_an_object' : 'malformed', open)
  const walk: Walk = {
    bytes,
    limits,
    topLevel: new Map(),
    closers: [],
    expectsKey: false,
    member: null,
    containers: 0,
    commas: 0,
    depth: 0,
    keys: 0,
    unsafeKeys: [],
    refused: null,
  }
  let at = open
  do at = step(walk, at)
  while (at !== STOP && walk.closers.length > 0)
  if (walk.refused !== null) return walk.refused
  const rest = skipSpace(bytes, at)
  if (rest < bytes.length) return refusal('malformed', rest)
  const { topLevel, depth, keys, unsafeKeys } = walk
  return { ok: true, topLevel, open, depth, keys, unsafeKeys }
}

interface Walk {
  readonly bytes: Buffer
  readonly limits: ScanLimits
  readonly topLevel: Map<string, MemberSpan>
  /** The byte that closes each open container, innermost last. */
  readonly closers: number[]
  expectsKey: boolean
  /** The top-level member whose value is being read. */
  member: { keyStart: number; start: number; end: number } | null
  containers: number
  commas: number
  depth: number
  keys: number
  readonly unsafeKeys: KeySpan[]
  refused: ScanRefusal | null
}

const STOP = -1
const FORBIDDEN_KEY = '__proto__'
/** `[` and `{`, and `]` and `}`, differ in this bit only. */
const BRACE_BIT = 0x20
/** Difference between an opening bracket or brace and the one that closes it. */
const TO_CLOSER = 2

/** By byte: 1 when a token can start with it, 0 when the scan may skip it. */
const startsToken = new Uint8Array(256)
for (const byte of Buffer.from('"[]{},')) startsToken[byte] = 1

/** Handles the next token at or after `at`. Returns where the token after it may start, or `STOP` after a refusal. */
function step(walk: Walk, at: number): number {
  const { bytes } = walk
  let next = at
  // After the last byte the table returns undefined, which ends the loop too.
  while (startsToken[bytes[next] as number] === 0) next += 1
  const byte = bytes[next]
  if (byte === QUOTE) return readString(walk, next)
  if (byte === COMMA) return readComma(walk, next)
  if (byte === undefined) return refuse(walk, 'malformed', next)
  return (byte | BRACE_BIT) === OPEN_BRACE ? openContainer(walk, next, byte) : closeContainer(walk, next, byte)
}

function readString(walk: Walk, at: number): number {
  const end = endOfString(walk.bytes, at + 1)
  if (end === -1) return refuse(walk, 'malformed', at)
  return walk.expectsKey ? readKey(walk, at, end) : end
}

function readKey(walk: Walk, at: number, end: number): number {
  const { bytes, limits } = walk
  walk.expectsKey = false
  walk.keys += 1
  if (walk.keys > limits.maxKeys) return refuse(walk, 'keys', at)
  const isAllowed = limits.mayHaveProto === true && walk.closers.length > 1
  if (!isAllowed && spells(bytes, at + 1, end - 1, FORBIDDEN_KEY))
    return refuse(walk, 'forbidden_key', at, FORBIDDEN_KEY)
  if (isUnsafeKey(bytes, at + 1, end - 1)) {
    walk.unsafeKeys.push({ start: at + 1, end: end - 1 })
    if (walk.unsafeKeys.length > (limits.maxEscapedKeys ?? Number.POSITIVE_INFINITY)) {
      return refuse(walk, 'escaped_keys', at)
    }
  }
  return walk.closers.length === 1 ? startMember(walk, at, end) : end
}

function startMember(walk: Walk, keyStart: number, keyEnd: number): number {
  const { bytes, topLevel } = walk
  const key = decodeString(bytes, keyStart + 1, keyEnd - 1)
  const colon = skipSpace(bytes, keyEnd)
  if (key === null || bytes[colon] !== COLON) return refuse(walk, 'malformed', keyStart)
  if (topLevel.has(key)) return refuse(walk, 'duplicate_key', keyStart, key)
  const start = skipSpace(bytes, colon + 1)
  walk.member = { keyStart, start, end: start }
  topLevel.set(key, walk.member)
  return start
}

function readComma(walk: Walk, at: number): number {
  walk.commas += 1
  if (walk.commas > (walk.limits.maxValues ?? Number.POSITIVE_INFINITY)) return refuse(walk, 'values', at)
  walk.expectsKey = walk.closers[walk.closers.length - 1] === CLOSE_BRACE
  if (walk.closers.length === 1 && !endMember(walk, at)) return refuse(walk, 'malformed', at)
  return at + 1
}

function openContainer(walk: Walk, at: number, byte: number): number {
  const { closers, limits } = walk
  closers.push(byte + TO_CLOSER)
  walk.containers += 1
  if (closers.length > walk.depth) walk.depth = closers.length
  if (closers.length > limits.maxDepth) return refuse(walk, 'depth', at)
  if (walk.containers > limits.maxKeys) return refuse(walk, 'keys', at)
  walk.expectsKey = byte === OPEN_BRACE
  return at + 1
}

function closeContainer(walk: Walk, at: number, byte: number): number {
  const { closers } = walk
  if (closers.pop() !== byte) return refuse(walk, 'malformed', at)
  const endsObjectWithMembers = closers.length === 0 && walk.topLevel.size > 0
  if (endsObjectWithMembers && !endMember(walk, at)) return refuse(walk, 'malformed', at)
  return at + 1
}

/** Ends the value of the open top-level member before the comma or brace at `at`; false when there is none. */
function endMember(walk: Walk, at: number): boolean {
  const { member } = walk
  if (member === null) return false
  member.end = trimSpace(walk.bytes, member.start, at)
  walk.member = null
  return member.end > member.start
}

function refuse(walk: Walk, reason: RefusalReason, offset: number, key?: string): number {
  walk.refused = refusal(reason, offset, key)
  return STOP
}

function refusal(reason: RefusalReason, offset: number, key?: string): ScanRefusal {
  return key === undefined ? { ok: false, reason, offset } : { ok: false, reason, offset, key }
}

/** True when a byte begins a JSON value that is not an object: `[`, a string, a number, `true`, `false` or `null`. */
function startsOtherValue(byte: number | undefined): boolean {
  return byte !== undefined && '["-0123456789tfn'.includes(String.fromCharCode(byte))
}

import {
  type CapturedExchange,
  type CaptureParts,
  captureStream,
  readCaptured,
  splitCaptures,
} from '@ratchet/contracts/captured-exchange'

/** The part of ioredis that the stream uses. */
export interface GroupRedis {
  callBuffer(command: string, args: (string | Buffer | number)[]): Promise<unknown>
}

/** An entry of the stream, with the exchanges that inference sent together. */
export interface StreamEntry {
  readonly id: string
  readonly items: readonly StreamItem[]
}

/** One exchange of an entry. */
export interface StreamItem {
  /** The id of the entry, and the place in it. */
  readonly id: string
  /** Null when inference cannot have written it. */
  readonly captured: CapturedExchange | null
  /** Facts and sizes, for an operator: an exchange that was never redacted must not be stored longer. */
  summary(): readonly string[]
}

export interface CaptureStreamOptions {
  readonly redis: GroupRedis
  /** Consumer name; no other process may have the same. */
  readonly consumer: string
  /** Milliseconds after which entries that another consumer read and did not finish are taken over. */
  readonly claimIdleMs: number
  /** Milliseconds to wait for entries where there are none. */
  readonly blockMs?: number
}

/** The stream of captured exchanges, for one consumer of the group. Every method throws while Redis is unavailable. */
export interface CaptureStream {
  /** New entries, at most `maxEntries`. Returns none when nothing arrived within `blockMs`. */
  read(): Promise<readonly StreamEntry[]>
  /** Entries that another consumer read and did not finish. */
  claim(): Promise<readonly StreamEntry[]>
  /** Acknowledges and deletes entries, so that no consumer receives them again. */
  finish(entries: readonly StreamEntry[]): Promise<void>
  /**
   * Copies the facts of exchanges that cannot be stored to the dead-letter stream for a week, so that an operator can
   * inspect them.
   */
  deadLetter(items: readonly StreamItem[]): Promise<void>
  /** Removes this consumer from the group, unless an entry that it read is unfinished. */
  leave(): Promise<void>
}

const { key, group } = captureStream
const deadLetterKey = `${key}:poison`
const maxDeadLetters = 1_000
/** The shortest retention that a workspace can have: no part of an exchange may be stored for longer. */
const deadLetterSeconds = 7 * 86_400
/** Each has up to fifty exchanges. */
const maxEntries = 20

export function createCaptureStream({
  redis,
  consumer,
  claimIdleMs,
  blockMs = 1_000,
}: CaptureStreamOptions): CaptureStream {
  const inGroup = async (command: string, args: (string | number)[]) => {
    try {
      return await redis.callBuffer(command, args)
    } catch (error) {
      if (!isNoGroup(error)) throw error
      await createGroup(redis)
      return redis.callBuffer(command, args)
    }
  }
  const where = ['GROUP', group, consumer, 'COUNT', maxEntries, 'BLOCK', blockMs, 'STREAMS', key, '>']
  return {
    async read() {
      const answer = await inGroup('XREADGROUP', where)
      // ioredis returns a map of RESP3 as a list: the stream's name, then its entries.
      return answer === null ? [] : toEntries(asList(answer)[1])
    },
    async claim() {
      const claimed = await inGroup('XAUTOCLAIM', [key, group, consumer, claimIdleMs, '0-0', 'COUNT', maxEntries])
      return toEntries(asList(claimed)[1])
    },
    async finish(entries) {
      const ids = entries.map(({ id }) => id)
      await redis.callBuffer('XACK', [key, group, ...ids])
      await redis.callBuffer('XDEL', [key, ...ids])
    },
    async deadLetter(items) {
      for (const item of items) {
        await redis.callBuffer('XADD', [deadLetterKey, 'MAXLEN', '~', maxDeadLetters, '*', ...item.summary()])
      }
      if (items.length > 0) await redis.callBuffer('EXPIRE', [deadLetterKey, deadLetterSeconds])
    },
    async leave() {
      const pending = await redis.callBuffer('XPENDING', [key, group, '-', '+', 1, consumer])
      if (asList(pending).length === 0) await redis.callBuffer('XGROUP', ['DELCONSUMER', key, group, consumer])
    },
  }
}

function entryOf(id: string, fields: readonly Buffer[]): StreamEntry {
  try {
    return { id, items: partsOf(fields).map((parts, place) => itemOf(`${id}/${place}`, parts)) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const summary = () => ['unreadable', `${fields.map(({ length }) => length).join(', ')} bytes`]
    return { id, items: [{ id: `${id}/0`, captured: null, summary }] }
  }
}

/** @throws RangeError when inference cannot have written the fields */
function partsOf(fields: readonly Buffer[]): readonly CaptureParts[] {
  const valueNamed = (name: string) => {
    const at = fields.findIndex((field, index) => index % 2 === 0 && field.toString() === name)
    return at === -1 ? undefined : fields[at + 1]
  }
  const captures = valueNamed(captureStream.field)
  if (captures !== undefined) return splitCaptures(captures)
  // An earlier release wrote each exchange as an entry; both releases run while one replaces the other.
  const [meta, request, reply] = ['meta', 'request', 'reply'].map(valueNamed)
  if (meta === undefined || request === undefined || reply === undefined) throw new RangeError('a field is missing')
  return [{ meta, request, reply }]
}

function itemOf(id: string, parts: CaptureParts): StreamItem {
  const { meta, request, reply } = parts
  const summary = () => [
    'meta',
    meta.toString(),
    'request',
    `${request.length} bytes`,
    'reply',
    `${reply.length} bytes`,
  ]
  return { id, captured: readOrNull(parts), summary }
}

function readOrNull(parts: CaptureParts): CapturedExchange | null {
  try {
    return readCaptured(parts)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The group begins at the first entry, so that entries older than the group are read too. */
async function createGroup(redis: GroupRedis): Promise<void> {
  try {
    await redis.callBuffer('XGROUP', ['CREATE', key, group, '0', 'MKSTREAM'])
  } catch (error) {
    if (!String(error).includes('BUSYGROUP')) throw error
  }
}

function isNoGroup(error: unknown): boolean {
  return String(error).includes('NOGROUP')
}

/** Leaves out entries without fields: they were deleted after they were read. */
function toEntries(list: unknown): readonly StreamEntry[] {
  return asList(list).flatMap((entry) => {
    const [id, fields] = asList(entry)
    return Array.isArray(fields) ? [entryOf(String(id), fields as Buffer[])] : []
  })
}

/** Throws, because entries in an unknown format would otherwise be skipped without a trace. */
function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new TypeError('Redis did not answer with a list')
}

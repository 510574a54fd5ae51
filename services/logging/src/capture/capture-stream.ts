import { captureStream, captureStreamKeys as streams } from '@ratchet/contracts/captured-exchange'
import type { ByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { readEntry, type StreamEntry, type StreamItem } from './stream-entry.ts'

/** The part of ioredis that the stream uses. */
export interface GroupRedis {
  callBuffer(command: string, args: (string | Buffer | number)[]): Promise<unknown>
}

export interface CaptureStreamOptions {
  readonly redis: GroupRedis
  /** Opens what inference sealed. */
  readonly seal: Pick<ByteSeal, 'open'>
  /** Consumer name; no other process may have the same. */
  readonly consumer: string
  /** Milliseconds after which entries that another consumer read and did not finish are taken over. */
  readonly claimIdleMs: number
  /** Milliseconds to wait for entries where there are none. */
  readonly blockMs?: number
}

/**
 * The streams of captured exchanges, sealed and of the release before, for one consumer of their groups. Every method
 * throws while Redis is unavailable.
 */
export interface CaptureStream {
  /** New entries, at most `maxEntriesPerRead` of each stream. Returns none when nothing arrived within `blockMs`. */
  read(): Promise<readonly StreamEntry[]>
  /** Entries that another consumer read and did not finish. */
  claim(): Promise<readonly StreamEntry[]>
  /** Acknowledges and deletes entries, so that no consumer receives them again. */
  finish(entries: readonly StreamEntry[]): Promise<void>
  /**
   * Writes ids and sizes of exchanges that cannot be stored to the dead-letter stream for a week, so that an operator can
   * find the cause.
   */
  deadLetter(items: readonly StreamItem[]): Promise<void>
  /** Removes this consumer from the groups, unless an entry that it read is unfinished. */
  leave(): Promise<void>
}

const { group } = captureStream
const deadLetterKey = 'ratchet:capture:dead-letters'
const maxDeadLetters = 1_000
/** The shortest retention that a workspace can have: no part of an exchange may be stored for longer. */
const deadLetterSeconds = 7 * 86_400
/** Of one stream. Each has up to fifty exchanges. */
export const maxEntriesPerRead = 8

export function createCaptureStream(options: CaptureStreamOptions): CaptureStream {
  const { redis, seal, consumer, claimIdleMs, blockMs = 1_000 } = options
  const inGroup = async (command: string, args: (string | number)[]) => {
    try {
      return await redis.callBuffer(command, args)
    } catch (error) {
      if (!isNoGroup(error)) throw error
      for (const key of streams) await createGroup(redis, key)
      return redis.callBuffer(command, args)
    }
  }
  const entries = (stream: string, list: unknown) =>
    rawEntries(list).map((entry) => readEntry({ stream, ...entry }, seal))
  const newest = streams.map(() => '>')
  const where = [
    'GROUP',
    group,
    consumer,
    'COUNT',
    maxEntriesPerRead,
    'BLOCK',
    blockMs,
    'STREAMS',
    ...streams,
    ...newest,
  ]
  return {
    async read() {
      const answer = await inGroup('XREADGROUP', where)
      return perStream(answer).flatMap(([stream, list]) => entries(stream, list))
    },
    async claim() {
      for (const key of streams) {
        const claimed = await inGroup('XAUTOCLAIM', [
          key,
          group,
          consumer,
          claimIdleMs,
          '0-0',
          'COUNT',
          maxEntriesPerRead,
        ])
        const found = entries(key, asList(claimed)[1])
        if (found.length > 0) return found
      }
      return []
    },
    async finish(finished) {
      for (const [key, of] of Map.groupBy(finished, ({ stream }) => stream)) {
        const ids = of.map(({ id }) => id)
        await redis.callBuffer('XACK', [key, group, ...ids])
        await redis.callBuffer('XDEL', [key, ...ids])
      }
    },
    async deadLetter(items) {
      for (const item of items) {
        await redis.callBuffer('XADD', [deadLetterKey, 'MAXLEN', '~', maxDeadLetters, '*', ...item.summary()])
      }
      if (items.length > 0) await redis.callBuffer('EXPIRE', [deadLetterKey, deadLetterSeconds])
    },
    async leave() {
      for (const key of streams) {
        const pending = await redis.callBuffer('XPENDING', [key, group, '-', '+', 1, consumer])
        if (asList(pending).length === 0) await redis.callBuffer('XGROUP', ['DELCONSUMER', key, group, consumer])
      }
    },
  }
}

/** The group begins at the first entry, so that entries older than the group are read too. */
async function createGroup(redis: GroupRedis, key: string): Promise<void> {
  try {
    await redis.callBuffer('XGROUP', ['CREATE', key, group, '0', 'MKSTREAM'])
  } catch (error) {
    if (!String(error).includes('BUSYGROUP')) throw error
  }
}

function isNoGroup(error: unknown): boolean {
  return String(error).includes('NOGROUP')
}

/** Streams with new entries: ioredis returns a map of RESP3 as a list, in which each stream's entries follow its key. */
function perStream(answer: unknown): readonly (readonly [string, unknown])[] {
  if (answer === null) return []
  const list = asList(answer)
  return list.flatMap((key, at) => (at % 2 === 0 ? [[String(key), list[at + 1]] as const] : []))
}

/** Leaves out entries without fields: they were deleted after they were read. */
function rawEntries(list: unknown): readonly { readonly id: string; readonly fields: readonly Buffer[] }[] {
  return asList(list).flatMap((entry) => {
    const [id, fields] = asList(entry)
    return Array.isArray(fields) ? [{ id: String(id), fields: fields as Buffer[] }] : []
  })
}

/** Throws, because entries in an unknown format would otherwise be skipped without a trace. */
function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new TypeError('Redis did not answer with a list')
}

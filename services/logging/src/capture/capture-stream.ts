import { type CapturedExchange, captureFields, captureStream, readMeta } from '@ratchet/contracts/captured-exchange'

/** The part of ioredis that the stream uses. */
export interface GroupRedis {
  callBuffer(command: string, args: (string | Buffer | number)[]): Promise<unknown>
}

/** An entry of the stream, as it is in Redis. */
export interface StreamEntry {
  readonly id: string
  /** Names and values in turn. */
  readonly fields: readonly Buffer[]
}

export interface CaptureStreamOptions {
  readonly redis: GroupRedis
  /** Unlike that of any other process. */
  readonly consumer: string
  /** Milliseconds after which what another consumer took and did not finish is taken over. */
  readonly claimIdleMs: number
  /** Milliseconds to wait for entries where there are none. */
  readonly blockMs?: number
}

/** The stream of captured exchanges as one consumer of the group sees it. Everything throws when Redis is away. */
export interface CaptureStream {
  /** New entries, at most a hundred; none after a while of waiting. */
  read(): Promise<readonly StreamEntry[]>
  /** Entries that somebody left behind. */
  claim(): Promise<readonly StreamEntry[]>
  /** They are stored: nobody gets them again. */
  finish(entries: readonly StreamEntry[]): Promise<void>
  /** Keeps what cannot be stored for a week, for whoever looks into it. */
  putAside(entries: readonly StreamEntry[]): Promise<void>
  /** Leaves the group, unless something taken is not finished. */
  leave(): Promise<void>
}

const { key, group } = captureStream
const deadLetterKey = `${key}:poison`
const maxDeadLetters = 1_000
/** As long as the shortest retention. */
const deadLetterSeconds = 7 * 86_400
const maxEntries = 100

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
      // The stream's name, then its entries: as ioredis tells a map of RESP3.
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
    async putAside(entries) {
      for (const { fields } of entries) {
        await redis.callBuffer('XADD', [deadLetterKey, 'MAXLEN', '~', maxDeadLetters, '*', ...withoutContent(fields)])
      }
      if (entries.length > 0) await redis.callBuffer('EXPIRE', [deadLetterKey, deadLetterSeconds])
    },
    async leave() {
      const pending = await redis.callBuffer('XPENDING', [key, group, '-', '+', 1, consumer])
      if (asList(pending).length === 0) await redis.callBuffer('XGROUP', ['DELCONSUMER', key, group, consumer])
    },
  }
}

/** What is put aside was never redacted: enough of it is kept to find out what it was, and none of its content. */
function withoutContent(fields: readonly Buffer[]): readonly (string | Buffer)[] {
  return fields.map((part, index) => {
    const name = index % 2 === 1 ? String(fields[index - 1]) : null
    return name === null || name === captureFields.meta ? part : `${part.length} bytes`
  })
}

/** @throws RangeError for what inference cannot have written */
export function readEntry({ fields }: StreamEntry): CapturedExchange {
  const found = new Map<string, Buffer>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name, value] = fields.slice(at, at + 2)
    if (name !== undefined && value !== undefined) found.set(name.toString(), value)
  }
  const [meta, request, reply] = [captureFields.meta, captureFields.request, captureFields.reply].map((name) =>
    found.get(name),
  )
  if (meta === undefined || request === undefined || reply === undefined) throw new RangeError('a field is missing')
  return { meta: readMeta(meta), request, reply }
}

/** From the first entry on: what came before there was a group is read too. */
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

/** What was deleted since it was read comes without its fields. */
function toEntries(list: unknown): readonly StreamEntry[] {
  return asList(list).flatMap((entry) => {
    const [id, fields] = asList(entry)
    return Array.isArray(fields) ? [{ id: String(id), fields: fields as Buffer[] }] : []
  })
}

/** Entries that were read and not understood would wait for nobody: that must be heard. */
function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new TypeError('Redis answered something else than a list')
}

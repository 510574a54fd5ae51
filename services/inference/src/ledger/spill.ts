import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/with-timeout'
import { z } from 'zod'
import type { Closing } from './ledger.ts'
import type { Spill } from './spill-store.ts'

/** The commands of ioredis that the spill uses. */
export interface SpillRedis {
  hset(key: string, field: string, value: string): Promise<unknown>
  hdel(key: string, field: string): Promise<unknown>
  hgetall(key: string): Promise<Record<string, string>>
}

export interface SpillOptions {
  /** A folder that outlives this process; may be shared. */
  readonly dir: string
  readonly redis: SpillRedis | null
  /** Names this process's unfinished files. */
  readonly ownerId: string
  readonly onError: (error: unknown) => void
  /** Milliseconds to wait for Redis. */
  readonly redisTimeoutMs?: number
}

const redisKey = 'ratchet:ledger:spill'

/** The file says `requestId`, as earlier releases wrote it, because a spilled closing outlives a deployment. */
const SpilledClosing = z
  .object({
    requestId: z.uuid(),
    workspaceId: z.uuid(),
    costNano: z
      .string()
      .regex(/^\d{1,19}$/)
      .transform(BigInt),
    outcome: z.enum(['posted', 'voided']),
  })
  .transform(({ requestId, ...closing }) => ({ billingId: requestId, ...closing }))

/** A spill of a file for each closing, and of a field for each in one Redis hash. */
export function createSpill({ dir, redis, ownerId, onError, redisTimeoutMs = 100 }: SpillOptions): Spill {
  const fileOf = (billingId: string) => path.join(dir, `${billingId}.json`)

  async function kept(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      onError(error)
      return false
    }
  }
  // Redis may be frozen, and a client that lost it may wait for its return
  const onLate = () => new Error(`no answer from Redis in ${redisTimeoutMs} ms`)
  const deadline = { silenceMs: redisTimeoutMs, maxMs: redisTimeoutMs, pulse: createHeartbeat(), onLate }
  const inTime = <T>(work: Promise<T>) => withTimeout(work, deadline)
  const inRedis = (work: (client: SpillRedis) => Promise<unknown>) =>
    redis === null ? Promise.resolve(false) : kept(() => inTime(work(redis)))

  return {
    async put({ billingId, workspaceId, costNano, outcome }) {
      const text = JSON.stringify({ requestId: billingId, workspaceId, costNano: String(costNano), outcome })
      const [file, field] = await Promise.all([
        kept(() => writeWhole(fileOf(billingId), text, ownerId)),
        inRedis((client) => client.hset(redisKey, billingId, text)),
      ])
      return file || field
    },
    async remove(billingId) {
      await Promise.all([
        kept(() => rm(fileOf(billingId), { force: true })),
        inRedis((client) => client.hdel(redisKey, billingId)),
      ])
    },
    async list() {
      const texts: string[] = []
      await kept(async () => void texts.push(...(await readAll(dir))))
      // asked every second: that Redis is away is said elsewhere, and once
      const fields = redis === null ? {} : await inTime(redis.hgetall(redisKey)).catch(() => ({}))
      return parseAll([...texts, ...Object.values(fields)], onError)
    },
  }
}

/** A file appears under its name only once it is whole. */
async function writeWhole(file: string, text: string, writer: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  const unfinished = `${file}.${writer}`
  await writeFile(unfinished, text)
  await rename(unfinished, file)
}

async function readAll(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const texts = names
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFile(path.join(dir, name), 'utf8').catch(() => '')) // removed meanwhile
  return (await Promise.all(texts)).filter((text) => text !== '')
}

function parseAll(texts: readonly string[], onError: (error: unknown) => void): readonly Closing[] {
  const closings = new Map<string, Closing>()
  for (const text of texts) {
    const result = SpilledClosing.safeParse(parseJson(text))
    if (result.success) closings.set(result.data.billingId, result.data)
    else onError(new Error(`a spilled closing is unreadable: ${text.slice(0, 200)}`, { cause: result.error }))
  }
  return [...closings.values()]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

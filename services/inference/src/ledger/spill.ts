import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/timing/with-timeout'
import { parseJson } from '@ratchet/service-kit/values/json'
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
  /** A folder that outlives this process. Several processes may share it. */
  readonly dir: string
  readonly redis: SpillRedis | null
  /** Name of a ledger other than the main one. Its closings have separate keys in Redis; `dir` must be separate too. */
  readonly ledger?: string | undefined
  /** Part of the names of this process's unfinished files. */
  readonly ownerId: string
  readonly onError: (error: unknown) => void
  /** Milliseconds to wait for Redis. */
  readonly redisTimeoutMs?: number
}

/**
 * Where closings are. A process reads only those of ledgers whose database it has. Those of requests without a row are in
 * separate places: a release without blocks would find no request for them, and remove them.
 */
const places = {
  rows: { redisKey: 'ratchet:ledger:spill', suffix: '.json' },
  blocks: { redisKey: 'ratchet:ledger:spill:blocks', suffix: '.block' },
} as const

type Place = (typeof places)[keyof typeof places]

const Nano = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt)

const SpilledEscrow = z.object({
  blockId: z.uuid(),
  holdNano: Nano,
  kind: z.string(),
  model: z.string(),
  priceVersion: z.string(),
  /** Earlier releases did not write it. */
  labels: z
    .object({
      keyId: z.uuid().nullable(),
      tag: z.string().nullable(),
      alias: z.string().nullable(),
      endUserId: z.uuid().nullable().exactOptional(),
    })
    .exactOptional(),
  path: z.enum(['block', 'row']),
})

/** The file has `requestId`, as earlier releases wrote it, because a stored closing outlives a deployment. */
const SpilledClosing = z
  .object({
    requestId: z.uuid(),
    workspaceId: z.uuid(),
    costNano: Nano,
    outcome: z.enum(['posted', 'voided']),
    /** Earlier releases did not write it. */
    logRow: z.object({ requestId: z.uuid(), expiresOn: z.iso.date() }).nullable().default(null),
    tokens: z.object({ promptTokens: z.int().min(0), completionTokens: z.int().min(0) }).exactOptional(),
    escrow: SpilledEscrow.nullable().default(null),
  })
  .transform(({ requestId: billingId, escrow, ...closing }) =>
    escrow === null ? { billingId, ...closing } : { billingId, ...closing, escrow },
  )

/** Stores each closing in a file of its own and in a field of one Redis hash. */
export function createSpill({ dir, redis, ledger, ownerId, onError, redisTimeoutMs = 100 }: SpillOptions): Spill {
  const keyOf = ({ redisKey }: Place) => (ledger === undefined ? redisKey : `${redisKey}@${ledger}`)
  const fileOf = (billingId: string, { suffix }: Place) => path.join(dir, `${billingId}${suffix}`)

  async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      onError(error)
      return false
    }
  }
  // Redis may hang, and a client without a connection may wait for one
  const onLate = () => new Error(`no answer from Redis in ${redisTimeoutMs} ms`)
  const deadline = { silenceMs: redisTimeoutMs, maxMs: redisTimeoutMs, pulse: createHeartbeat(), onLate }
  const inTime = <T>(work: Promise<T>) => withTimeout(work, deadline)
  const inRedis = (work: (client: SpillRedis) => Promise<unknown>) =>
    redis === null ? Promise.resolve(false) : succeeds(() => inTime(work(redis)))

  return {
    async put(closing) {
      const { billingId: requestId } = closing
      const place = closing.escrow === undefined ? places.rows : places.blocks
      const text = textOf(closing)
      const [file, field] = await Promise.all([
        succeeds(() => writeWhole(fileOf(requestId, place), text, ownerId)),
        inRedis((client) => client.hset(keyOf(place), requestId, text)),
      ])
      return file || field
    },
    async remove(billingId) {
      const everywhere = Object.values(places).flatMap((place) => [
        succeeds(() => rm(fileOf(billingId, place), { force: true })),
        inRedis((client) => client.hdel(keyOf(place), billingId)),
      ])
      await Promise.all(everywhere)
    },
    async list() {
      const texts: string[] = []
      await succeeds(async () => void texts.push(...(await readAll(dir))))
      // called every few seconds; an unavailable Redis is reported elsewhere, and once
      const read = (place: Place) =>
        redis === null ? [] : inTime(redis.hgetall(keyOf(place))).then(Object.values<string>, () => [])
      const fields = await Promise.all(Object.values(places).map(read))
      return parseAll([...texts, ...fields.flat()], onError)
    },
  }
}

function textOf({
  billingId: requestId,
  workspaceId,
  costNano,
  outcome,
  logRow = null,
  tokens,
  escrow,
}: Closing): string {
  const held = escrow === undefined ? null : { ...escrow, holdNano: String(escrow.holdNano) }
  return JSON.stringify({ requestId, workspaceId, costNano: String(costNano), outcome, logRow, tokens, escrow: held })
}

/** Writes to a temporary name first, so that a file has its name only when it is complete. */
async function writeWhole(file: string, text: string, writer: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${writer}`
  await writeFile(unfinished, text, { mode: 0o600 })
  await rename(unfinished, file)
}

async function readAll(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const texts = names
    .filter((name) => Object.values(places).some(({ suffix }) => name.endsWith(suffix)))
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

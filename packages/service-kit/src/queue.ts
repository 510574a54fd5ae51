import type { QueueDef } from '@ratchet/contracts/queues'
import { Queue, UnrecoverableError, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import type { z } from 'zod'
import { createQueueTelemetry } from './queue-telemetry.ts'
import { repeatEvery } from './repeat-every.ts'
import type { OnStop } from './run-process.ts'

/** Says that there is work. The work itself is in rows: a job that is lost, late or doubled does no harm. */
export interface Doorbell<Payload> {
  /** One job for each payload; two rings with one `key` are one for as long as the first waits. @throws when Redis is away */
  ring(jobs: readonly { readonly payload: Payload; readonly key: string }[]): Promise<void>
}

export interface QueueConnection {
  readonly redisUrl: string
  readonly onStop: OnStop
  /** Hears that Redis is away, again and again. */
  readonly onError: (error: unknown) => void
}

/** Longest wait for Redis to take a job, milliseconds. */
const ringTimeoutMs = 1_000

const retryStrategy = (times: number) => Math.min(times * 100, 1_000)

/** The producer's end of a queue. It fails at once while Redis is away, and never waits for it. */
export function createDoorbell<Def extends QueueDef>(
  def: Def,
  connection: QueueConnection,
): Doorbell<z.input<Def['payload']>> {
  const reach = impatientQueue(def, connection)
  return {
    async ring(jobs) {
      const options = { removeOnComplete: true, removeOnFail: true, attempts: 1 }
      const queue = await reach()
      await queue.addBulk(
        jobs.map(({ payload, key }) => ({
          name: def.name,
          data: def.payload.parse(payload),
          opts: { ...options, jobId: key },
        })),
      )
    },
  }
}

/**
 * Rings for rows by their ids. It never fails: who looks for work that nobody rang for finds the rows all the same, and
 * `onError` hears why.
 */
export function createRowBell<Def extends QueueDef>(
  def: Def,
  connection: QueueConnection,
  payloadOf: (id: string) => z.input<Def['payload']>,
): (ids: readonly string[]) => Promise<void> {
  const bell = createDoorbell(def, connection)
  return async (ids) => {
    if (ids.length === 0) return
    await bell.ring(ids.map((id) => ({ payload: payloadOf(id), key: id }))).catch(connection.onError)
  }
}

/** A schedule that went with Redis is there again after so long, milliseconds. */
const renewEveryMs = 60_000

/** Has a job of a queue made again and again, one for all processes together however many keep the schedule. */
export function keepSchedule(def: QueueDef, connection: QueueConnection & { readonly everyMs: number }): void {
  const reach = impatientQueue(def, connection)
  const { everyMs, onStop, onError } = connection
  const template = { name: def.name, data: {}, opts: { removeOnComplete: true, removeOnFail: true } }
  const work = async () => (await reach()).upsertJobScheduler(def.name, { every: everyMs }, template)
  onStop(repeatEvery({ everyMs: Math.min(everyMs, renewEveryMs), work, onError }))
}

/**
 * Reaches a queue, or fails at once. BullMQ remembers for good that it could not begin, so a queue is opened only while
 * Redis answers, and another one in the place of one that could not be.
 */
function impatientQueue(def: QueueDef, { redisUrl, onStop, onError }: QueueConnection): () => Promise<Queue> {
  const redis = new Redis(redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: ringTimeoutMs,
    connectTimeout: ringTimeoutMs,
    retryStrategy,
  })
  redis.on('error', onError)
  let opened: Promise<Queue> | null = null
  const open = async () => {
    const queue = new Queue(def.name, { connection: redis, telemetry: createQueueTelemetry() })
    queue.on('error', onError)
    await queue.waitUntilReady()
    return queue
  }
  onStop(async () => {
    await (await opened?.catch(() => null))?.close()
    redis.disconnect()
  })
  return async () => {
    if (redis.status !== 'ready') throw new Error(`Redis cannot be reached: ${redis.status}`)
    opened ??= open()
    try {
      return await opened
    } catch (error) {
      opened = null
      throw error
    }
  }
}

export interface QueueWorkerOptions extends QueueConnection {
  /** Jobs that run at the same time. */
  readonly concurrency: number
  /** Hears of every job that ended, well or not. */
  readonly onProgress: () => void
}

/**
 * The consumer's end of a queue. `handle` may run twice for one payload and must bear it; what it throws is told to
 * `onError`, and the row it was about says whether and when to try again.
 */
export function startQueueWorker<Def extends QueueDef>(
  def: Def,
  handle: (payload: z.output<Def['payload']>) => Promise<void>,
  { redisUrl, onStop, onError, concurrency, onProgress }: QueueWorkerOptions,
): void {
  const worker = new Worker(
    def.name,
    async ({ data }) => {
      const parsed = def.payload.safeParse(data)
      if (!parsed.success) throw new UnrecoverableError(`bad ${def.name} job: ${parsed.error.message}`)
      await handle(parsed.data as z.output<Def['payload']>)
    },
    {
      connection: { url: redisUrl, maxRetriesPerRequest: null, retryStrategy },
      concurrency,
      telemetry: createQueueTelemetry(),
      // The default of one gives a job up after two deploys in its middle.
      maxStalledCount: 20,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  )
  worker.on('completed', onProgress)
  worker.on('failed', (_job, error) => {
    onProgress()
    onError(error)
  })
  worker.on('error', onError)
  onStop(() => worker.close())
}

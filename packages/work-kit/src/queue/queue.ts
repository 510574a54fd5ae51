import type { QueueDef } from '@ratchet/contracts/queues'
import { createRedis } from '@ratchet/service-kit/process/create-redis'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { Queue, UnrecoverableError, Worker } from 'bullmq'
import type { z } from 'zod'
import { createEndingReconnects } from './ending-reconnects.ts'
import { createQueueTelemetry } from './queue-telemetry.ts'

/** Notifies workers that there is work. The work itself is in Postgres rows, so a lost, late or duplicate job does no harm. */
export interface JobQueue<Payload> {
  /** Adds one job per payload. A second job with the same `key` is ignored while the first one waits. @throws when Redis is unavailable */
  enqueue(jobs: readonly { readonly payload: Payload; readonly key: string }[]): Promise<void>
}

export interface QueueConnection {
  readonly redisUrl: string
  readonly onStop: OnStop
  /** Called on every failure while Redis is unavailable. */
  readonly onError: (error: unknown) => void
}

/** Longest wait for Redis to take a job, milliseconds. */
const enqueueTimeoutMs = 1_000

/** The producer side of a queue. It fails immediately while Redis is unavailable, and never waits for it. */
export function createJobQueue<Def extends QueueDef>(
  def: Def,
  connection: QueueConnection,
): JobQueue<z.input<Def['payload']>> {
  const reach = failFastQueue(def, connection)
  return {
    async enqueue(jobs) {
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
 * Creates a function that notifies workers of rows by id. It never throws: the reconcile loop finds rows without a job,
 * and `onError` receives the cause.
 */
export function createRowNotifier<Def extends QueueDef>(
  def: Def,
  connection: QueueConnection,
  payloadOf: (id: string) => z.input<Def['payload']>,
): (ids: readonly string[]) => Promise<void> {
  const jobQueue = createJobQueue(def, connection)
  return async (ids) => {
    if (ids.length === 0) return
    await jobQueue.enqueue(ids.map((id) => ({ payload: payloadOf(id), key: id }))).catch(connection.onError)
  }
}

/**
 * Milliseconds between two checks for jobs of killed workers. Their locks last 30 seconds, as long as the leases of their
 * rows; with BullMQ's default interval such work would wait for up to a minute.
 */
const stalledEveryMs = 5_000
/** A notification takes no time, and a search finds the row of one that was lost, so these only tidy Redis. */
const stalledNotificationsEveryMs = 60_000

/** Seconds that a worker waits in Redis for the next job before it asks again. */
const waitInRedisSeconds = 20

/** A schedule that Redis lost is restored after this many milliseconds. */
const renewEveryMs = 60_000

/** Enqueues a job on a schedule: one job per interval for all processes together, however many of them call this. */
export function keepSchedule(def: QueueDef, connection: QueueConnection & { readonly everyMs: number }): void {
  const reach = failFastQueue(def, connection)
  const { everyMs, onStop, onError } = connection
  const template = { name: def.name, data: {}, opts: { removeOnComplete: true, removeOnFail: true } }
  const work = async () => (await reach()).upsertJobScheduler(def.name, { every: everyMs }, template)
  onStop(repeatEvery({ everyMs: Math.min(everyMs, renewEveryMs), work, onError }))
}

/**
 * Opens a queue, or fails immediately. A BullMQ queue that could not connect at first never recovers, so a queue is
 * opened only while Redis answers, and replaced when opening fails.
 */
function failFastQueue(def: QueueDef, { redisUrl, onStop, onError }: QueueConnection): () => Promise<Queue> {
  const timeouts = { commandTimeoutMs: enqueueTimeoutMs, connectTimeoutMs: enqueueTimeoutMs }
  const redis = createRedis({ url: redisUrl, ...timeouts, onStop, onError })
  let opened: Promise<Queue> | null = null
  const open = async () => {
    const queue = new Queue(def.name, { connection: redis, telemetry: createQueueTelemetry() })
    queue.on('error', onError)
    await queue.waitUntilReady()
    return queue
  }
  onStop(async () => (await opened?.catch(() => null))?.close())
  return async () => {
    if (redis.status !== 'ready') throw new Error(`Redis is unavailable: ${redis.status}`)
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
  /** Number of jobs that run at the same time. */
  readonly concurrency: number
  /** Called after every job, successful or not. */
  readonly onProgress: () => void
}

/**
 * The consumer side of a queue. `handle` may run twice for one payload and must be idempotent. Its errors go to
 * `onError`; the row that it worked on says whether and when to retry.
 */
export function startQueueWorker<Def extends QueueDef>(
  def: Def,
  handle: (payload: z.output<Def['payload']>) => Promise<void>,
  { concurrency, onProgress, ...connection }: QueueWorkerOptions,
): void {
  const { onError } = connection
  const worker = consume(def, handle, {
    ...connection,
    concurrency,
    telemetry: createQueueTelemetry(),
    stalledInterval: stalledEveryMs,
  })
  worker.on('completed', onProgress)
  worker.on('failed', (_job, error) => {
    onProgress()
    onError(error)
  })
}

/** The consumer of a queue whose jobs only say that there is work. */
export function startNotificationWorker<Def extends QueueDef>(
  def: Def,
  onNotified: (payload: z.output<Def['payload']>) => void,
  connection: QueueConnection,
): void {
  const telemetry = createQueueTelemetry('notifications')
  const worker = consume(def, async (payload) => onNotified(payload), {
    ...connection,
    concurrency: 1,
    telemetry,
    stalledInterval: stalledNotificationsEveryMs,
  })
  worker.on('failed', (_job, error) => connection.onError(error))
}

interface ConsumeOptions extends QueueConnection {
  readonly concurrency: number
  readonly telemetry: ReturnType<typeof createQueueTelemetry>
  /** Milliseconds between two checks for jobs of killed workers. */
  readonly stalledInterval: number
}

function consume<Def extends QueueDef>(
  def: Def,
  handle: (payload: z.output<Def['payload']>) => Promise<void>,
  { redisUrl, onStop, onError, concurrency, telemetry, stalledInterval }: ConsumeOptions,
): Worker {
  const reconnects = createEndingReconnects()
  const worker = new Worker(
    def.name,
    async ({ data }) => {
      const parsed = def.payload.safeParse(data)
      if (!parsed.success) throw new UnrecoverableError(`bad ${def.name} job: ${parsed.error.message}`)
      await handle(parsed.data as z.output<Def['payload']>)
    },
    {
      connection: { url: redisUrl, maxRetriesPerRequest: null, retryStrategy: reconnects.retryStrategy },
      concurrency,
      telemetry,
      stalledInterval,
      drainDelay: waitInRedisSeconds,
      // With the default of 1, a job would be dropped after two deploys during its run.
      maxStalledCount: 20,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  )
  worker.on('error', onError)
  onStop(async () => {
    await reconnects.end()
    await worker.close()
  })
  return worker
}

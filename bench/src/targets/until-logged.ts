import { setTimeout as sleep } from 'node:timers/promises'
import { captureStreamKeys } from '@ratchet/contracts/captured-exchange'
import { ReadableError } from '@ratchet/infra/terminal/readable-error'
import { Redis } from 'ioredis'

const pollMs = 50
/** Inference gathers exchanges for 25 ms before it sends them, so empty streams prove nothing the first time. */
const emptyPolls = 3
const maxWaitMs = 120_000

/**
 * Waits until the log's worker has stored every exchange: it deletes an entry of the stream when its rows are committed.
 *
 * @throws ReadableError when the worker does not finish
 */
export async function untilLogged(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl, { lazyConnect: true })
  const deadline = performance.now() + maxWaitMs
  try {
    await redis.connect()
    for (let empty = 0; empty < emptyPolls; ) {
      const lengths = await Promise.all(captureStreamKeys.map((key) => redis.xlen(key)))
      empty = lengths.every((length) => length === 0) ? empty + 1 : 0
      if (performance.now() > deadline) throw new ReadableError('The log was not stored two minutes after the load.')
      await sleep(pollMs)
    }
  } finally {
    redis.disconnect()
  }
}

import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { type CapturedExchange, captureStream, partsOfCaptures } from '@ratchet/contracts/captured-exchange'
import type { ByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import type { CapturePace } from './capture-pace.ts'
import { type CaptureSink, sendInChunks, weightOf } from './capture-sink.ts'

/** The methods of ioredis that the sink uses. */
export interface StreamRedis {
  xadd(key: string, ...entry: (string | Buffer)[]): Promise<unknown>
}

/** Maximum bytes of an entry with several exchanges: it must arrive within the connection's time-out. */
const maxBytesPerEntry = mebibyte

export interface StreamSinkOptions {
  readonly redis: StreamRedis
  readonly seal: Pick<ByteSeal, 'seal'>
  readonly pace: CapturePace
}

/**
 * Appends exchanges to the streams that the log's workers read, in as few entries as possible, because Redis' cost is per
 * entry. They are not redacted yet, so they are sealed: Redis writes its data to disk. An entry without an answer of Redis
 * may have arrived; it is delivered twice, and the log removes duplicates.
 */
export function createStreamSink({ redis, seal, pace }: StreamSinkOptions): CaptureSink {
  const { key: usualKey, busyKey, field } = captureStream
  const send = (exchanges: readonly CapturedExchange[], key: string) =>
    sendInChunks(exchanges, maxBytesPerEntry, (chunk) =>
      redis.xadd(key, '*', field, seal.seal(partsOfCaptures(chunk), key)),
    )
  const isBusy = (exchange: CapturedExchange) => pace.add(exchange.meta.workspaceId, weightOf(exchange))
  return async (exchanges) => {
    const { usual = [], busy = [] } = Object.groupBy(exchanges, (each) => (isBusy(each) ? 'busy' : 'usual'))
    const first = await send(usual, usualKey)
    if (busy.length === 0) return first
    if (first.left.length > 0) return { ...first, left: [...first.left, ...busy] }
    return send(busy, busyKey)
  }
}

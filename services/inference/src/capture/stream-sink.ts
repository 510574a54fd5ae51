import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { captureStream, encodeCaptures } from '@ratchet/contracts/captured-exchange'
import type { ByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { type CaptureSink, sendInChunks } from './capture-sink.ts'

/** The methods of ioredis that the sink uses. */
export interface StreamRedis {
  xadd(key: string, ...entry: (string | Buffer)[]): Promise<unknown>
}

/** Maximum bytes of an entry with several exchanges: it must arrive within the connection's time-out. */
const maxBytesPerEntry = mebibyte

/**
 * Appends exchanges to the stream that the log's workers read, in as few entries as possible, because Redis' cost is per
 * entry. They are not redacted yet, so they are sealed: Redis writes its data to disk. An entry without an answer of Redis
 * may have arrived; it is delivered twice, and the log removes duplicates.
 */
export function createStreamSink(redis: StreamRedis, seal: Pick<ByteSeal, 'seal'>): CaptureSink {
  const { key, field } = captureStream
  return (exchanges) =>
    sendInChunks(exchanges, maxBytesPerEntry, (chunk) =>
      redis.xadd(key, '*', field, seal.seal(encodeCaptures(chunk), key)),
    )
}

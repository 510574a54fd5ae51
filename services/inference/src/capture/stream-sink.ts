import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { captureFields, captureStream } from '@ratchet/contracts/captured-exchange'
import { type CaptureSink, sendInChunks } from './capture-sink.ts'

/** The methods of ioredis that the sink uses. */
export interface StreamRedis {
  xadd(key: string, ...entry: (string | Buffer)[]): Promise<unknown>
}

/** Maximum bytes in one call, which must arrive within the connection's time-out. */
const maxBytesPerCall = 4 * mebibyte

/**
 * Appends exchanges to the stream that the log's workers read. They are written one after the other without waiting for
 * answers, which costs half of what a pipeline object does. When one fails, all of them count as not taken. Those that
 * had arrived are then delivered twice, and the log removes duplicates.
 */
export function createStreamSink(redis: StreamRedis): CaptureSink {
  return (exchanges) =>
    sendInChunks(exchanges, maxBytesPerCall, (chunk) =>
      Promise.all(
        chunk.map(({ meta, request, reply }) => {
          const known = [captureFields.meta, JSON.stringify(meta)]
          const content = [captureFields.request, request, captureFields.reply, reply]
          return redis.xadd(captureStream.key, '*', ...known, ...content)
        }),
      ),
    )
}

import { captureFields, captureStream } from '@ratchet/contracts/captured-exchange'
import { type CaptureSink, sendInChunks } from './capture-sink.ts'

/** The part of ioredis that the sink uses; a test stands in for it. */
export interface StreamRedis {
  xadd(key: string, ...entry: (string | Buffer)[]): Promise<unknown>
}

/** Bytes on their way together: they have to arrive within the connection's time-out. */
const maxBytesPerCall = 4 * 1024 * 1024

/**
 * Appends exchanges to the stream that the log's workers read. They leave one behind the other without waiting for
 * answers, which costs half of what a pipeline object does. When one fails, all of them count as not taken: those that
 * arrived are delivered twice then, which the log notices.
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

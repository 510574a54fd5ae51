import { createUpstream } from '@ratchet/http/create-upstream'
import { uuidV7 } from '@ratchet/service-kit/ids'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Capture } from './capture/capture.ts'
import { createCapture } from './capture/create-capture.ts'
import { createDirectSink } from './capture/direct-sink.ts'
import { createStreamSink } from './capture/stream-sink.ts'
import type { InferenceConfig } from './config.ts'
import type { InferenceEvents } from './events.ts'

export interface CaptureContext {
  readonly config: InferenceConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly events: InferenceEvents
  readonly now: () => Date
}

/** The way of exchanges to the log. */
export function startCapture({ config, logger, lifecycle, events, now }: CaptureContext): Capture {
  const origin = new URL(config.LOGGING_URL).origin
  const upstream = createUpstream({ origin, connections: 2, connectTimeoutMs: 1_000 })
  lifecycle.onStop(() => upstream.destroy())
  const [key] = config.LOGGING_KEYS
  const capture = createCapture({
    stream: createStreamSink(connectStream(config.REDIS_URL, logger, lifecycle)),
    direct: createDirectSink({ upstream, key, now, newId: () => uuidV7(now().getTime()) }),
    onEvent: events.capture,
    now,
  })
  lifecycle.onStop(() => capture.stop())
  return capture
}

/** A connection of its own: exchanges are large, and nothing small should wait behind them. */
function connectStream(url: string, logger: Logger, { onStop }: Lifecycle): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    connectTimeout: 1_000,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  })
  redis.on('error', (error) => logger.debug({ err: error }, 'redis is away'))
  onStop(() => redis.disconnect())
  return redis
}

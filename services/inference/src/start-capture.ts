import { randomBytes } from 'node:crypto'
import { captureSealPurpose } from '@ratchet/contracts/captured-exchange'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import { createByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { keysOfCaller } from '@ratchet/service-kit/identity/identity'
import { createRedis } from '@ratchet/service-kit/process/create-redis'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Capture } from './capture/capture.ts'
import { createCapturePace } from './capture/capture-pace.ts'
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

/** Time limits of a call that stores exchanges. */
const clocks = { firstByteMs: 5_000, idleMs: 2_000, totalMs: 8_000 }

/** The capture of exchanges, with its transports to the log. */
export function startCapture({ config, logger, lifecycle, events, now }: CaptureContext): Capture {
  const { LOGGING_URL: url, LOGGING_KEYS: keys } = config
  const logging = connectService({ audience: 'logging', url, keys, connections: 2, clocks }, { ...lifecycle, now })
  const seal = createByteSeal({ keys: keysOfCaller(keys, 'inference'), purpose: captureSealPurpose, randomBytes, now })
  const redis = connectStream(config.REDIS_URL, logger, lifecycle)
  const capture = createCapture({
    stream: createStreamSink({ redis, seal, pace: createCapturePace(() => performance.now()) }),
    direct: createDirectSink(logging),
    onEvent: events.capture,
    now,
  })
  lifecycle.onStop(() => capture.stop())
  return capture
}

/** A connection of its own, because exchanges are large and small commands should not wait behind them. */
function connectStream(url: string, logger: Logger, { onStop }: Lifecycle): Redis {
  const onError = (error: Error) => logger.debug({ err: error }, 'Redis is unavailable')
  return createRedis({ url, commandTimeoutMs: 500, onStop, onError })
}

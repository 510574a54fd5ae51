import { createRedis } from '@ratchet/service-kit/process/create-redis'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { Logger } from 'pino'
import { createLiveStreams, type LiveStreams } from './live/live-streams.ts'
import { createRedisAnnounce, createRedisLiveSource } from './live/redis-live.ts'
import type { People } from './people/pg-people.ts'
import {
  createAttemptLimit,
  createMemoryCounter,
  type MaxAttempts,
  maxAttempts,
  maxBeginnings,
  maxInvitations,
} from './sign-in/attempt-limit.ts'
import { createRedisAttemptCounter } from './sign-in/redis-attempt-counter.ts'

export interface RedisContext {
  readonly people: Pick<People, 'stillOpen'>
  readonly isDraining: () => boolean
  readonly now: () => Date
  readonly hash: (text: string) => string
  readonly logger: Logger
}

/** What uses Redis. While it is unavailable, attempts are counted per process, and pages read again by themselves. */
export function startRedisParts(url: string, { onStop }: Lifecycle, context: RedisContext) {
  const { people, isDraining, now, hash, logger } = context
  const connection = { url, onStop, onError: (error: Error) => logger.warn({ err: error }, 'Redis connection lost') }
  const redis = createRedis({ ...connection, commandTimeoutMs: 500 })
  const subscriber = createRedis({ ...connection, commandTimeoutMs: 5_000, waitsForConnection: true })
  const streams: LiveStreams = createLiveStreams({
    source: createRedisLiveSource(subscriber, (workspaceId, message) => streams.deliver(workspaceId, message)),
    stillOpen: (pages) => people.stillOpen(pages, now()),
    isDraining,
  })
  const onError = (error: unknown) => logger.error({ err: error }, 'live streams were not checked')
  onStop(repeatEvery({ everyMs: 1_000, work: () => streams.tick(), onError }))
  const limit = (name: string, max: MaxAttempts) => {
    const counter = createRedisAttemptCounter(
      redis,
      name,
      createMemoryCounter(() => now().getTime()),
    )
    return createAttemptLimit({ counter, hash, max })
  }
  return {
    streams,
    announce: createRedisAnnounce(redis),
    attempts: limit('sign-in', maxAttempts),
    invitationLimit: limit('invitations', maxInvitations),
    beginnings: limit('sign-in-begun', maxBeginnings),
  }
}

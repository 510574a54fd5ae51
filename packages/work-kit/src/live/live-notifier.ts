import { type LiveNotice, liveChannel } from '@ratchet/contracts/live-notice'
import { createRedis } from '@ratchet/service-kit/process/create-redis'
import type { QueueConnection } from '../queue/queue.ts'

/** Says that something changed, so that open pages read it again. Call it after the commit. */
export type NotifyLive = (workspaceId: string, notice: LiveNotice) => Promise<unknown>

/** @returns how many processes received it, which have open pages of the workspace; null when Redis is unavailable */
export type PublishLive = (workspaceId: string, notice: LiveNotice) => Promise<number | null>

const timeoutMs = 1_000

/**
 * Publishes notices for open pages. It never throws and nothing waits for Redis: without notices, pages poll. `onError`
 * receives the cause.
 */
export function createLiveNotifier({ redisUrl, onStop, onError }: QueueConnection): PublishLive {
  const redis = createRedis({ url: redisUrl, commandTimeoutMs: timeoutMs, onStop, onError })
  return async (workspaceId, notice) => {
    try {
      return await redis.publish(liveChannel(workspaceId), JSON.stringify(notice))
    } catch (error) {
      onError(error)
      return null
    }
  }
}

import { type LiveMessage, liveChannel } from '@ratchet/contracts/dashboard/live'
import type { Redis } from 'ioredis'
import { type Announce, type LiveSource, parseLiveMessage } from './live-messages.ts'

/** Without Redis nobody is notified, and pages read again by themselves. */
export function createRedisAnnounce(redis: Redis): Announce {
  return (workspaceId, message) => {
    redis.publish(liveChannel(workspaceId), JSON.stringify(message)).catch(() => undefined)
  }
}

/** @param subscriber a connection for nothing else; it subscribes again when it reconnects */
export function createRedisLiveSource(
  subscriber: Redis,
  onMessage: (workspaceId: string, message: LiveMessage) => void,
): LiveSource {
  const prefix = liveChannel('')
  subscriber.on('message', (channel: string, text: string) => {
    const message = parseLiveMessage(text)
    if (message !== null) onMessage(channel.slice(prefix.length), message)
  })
  return {
    follow: (workspaceId) => void subscriber.subscribe(liveChannel(workspaceId)).catch(() => undefined),
    unfollow: (workspaceId) => void subscriber.unsubscribe(liveChannel(workspaceId)).catch(() => undefined),
  }
}

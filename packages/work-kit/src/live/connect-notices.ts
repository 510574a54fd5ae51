import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import type { Logger } from 'pino'
import { createLiveNotifier, type PublishLive } from './live-notifier.ts'

export interface NoticeContext {
  readonly lifecycle: Pick<Lifecycle, 'onStop'>
  readonly logger: Logger
}

/** The notices of a process for open pages. Without Redis, pages poll. */
export function connectNotices(redisUrl: string, { lifecycle: { onStop }, logger }: NoticeContext): PublishLive {
  const onError = (error: unknown) => logger.debug({ err: error }, 'Redis is unavailable')
  return createLiveNotifier({ redisUrl, onStop, onError })
}

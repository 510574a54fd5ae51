import { readLive } from '@ratchet/contracts/dashboard/live'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import type { LivePage, LiveStreams } from './live-streams.ts'

export interface LiveDeps extends PeopleDeps {
  readonly streams: LiveStreams
  readonly isDraining: () => boolean
}

/** Bytes that wait for a slow browser, above which its stream ends. It connects again and reads everything. */
const maxWaitingBytes = 65_536

export function liveRoutes(router: Router, deps: LiveDeps): void {
  mountForMember(router, deps, readLive, async ({ response, person, membership: { workspaceId } }) => {
    if (deps.isDraining())
      throw new ServiceError('service_unavailable', 'This process stops. Retry.', { retryAfterSeconds: 1 })
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    const page: LivePage = {
      sessionId: person.session.id,
      workspaceId,
      write(text) {
        response.write(text)
        if (response.writableLength > maxWaitingBytes) response.destroy()
      },
      end: () => response.end(),
    }
    deps.streams.open(page)
    response.once('close', () => deps.streams.close(page))
    return { topic: 'open' }
  })
}

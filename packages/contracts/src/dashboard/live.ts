import { z } from 'zod'
import { topicPattern } from '../live-topic.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { WorkspaceParams } from './values.ts'

/**
 * Says that something changed, never what: the page reads it again. Whoever wrote a row publishes it, after the commit, on the
 * Redis channel of the workspace.
 */
export const LiveMessage = z.object({
  topic: z.string().regex(topicPattern).describe('Such as `logs`, `wallet` or `eval:eval_…`.'),
  version: z.int().optional(),
})
export type LiveMessage = z.infer<typeof LiveMessage>

/** The channel of Redis that carries the live messages of a workspace. */
export function liveChannel(workspaceId: string): string {
  return `ratchet:live:${workspaceId}`
}

/** The name of the server-sent event that carries a {@link LiveMessage}. */
export const liveEventName = 'change'

/** After a gap everything may have changed, so the last event id is not read. */
export const readLive = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/live',
  summary: 'A stream of server-sent events that say what changed in a workspace.',
  permission: 'any',
  params: WorkspaceParams,
  reply: LiveMessage,
  streams: true,
})

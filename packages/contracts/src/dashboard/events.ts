import { z } from 'zod'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { listReplyOf, WorkspaceParams } from './values.ts'

export const workspaceEventKinds = [
  'alias.promote',
  'alias.rollback',
  'alias.family_rollback',
  'scan.done',
  'scan.failed',
  'log.lost',
  'catalog.stale',
] as const

export const WorkspaceEvent = z.object({
  id: z.uuid(),
  at: z.iso.datetime(),
  kind: z.enum(workspaceEventKinds),
  name: z
    .string()
    .describe(
      'Of the alias or the judge; the day (UTC) for requests that are not in the log, and on which old prices were read.',
    ),
  judge_id: z.string().nullable().describe('Null unless it is about a scan.'),
  requests: z.int().nullable().describe('Number of requests that are not in the log; null for everything else.'),
})
export type WorkspaceEvent = z.infer<typeof WorkspaceEvent>

export const listEvents = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/events',
  summary:
    'List what happened by itself in the last seven days, newest first, at most 20: decisions of gates, ended scans, requests that were charged and did not arrive in the log, and old prices.',
  permission: 'any',
  params: WorkspaceParams,
  reply: listReplyOf(WorkspaceEvent),
})

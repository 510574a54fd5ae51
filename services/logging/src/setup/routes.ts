import { getSetupStatus } from '@ratchet/contracts/setup-status'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { SegmentTrafficReads } from '../segments/segment-traffic.ts'
import type { WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { type LoopProgress, setupStatusOf, setupStatusText } from './setup-status.ts'

export interface SetupRouteDeps {
  readonly workspaces: WorkspaceReads
  readonly segments: SegmentTrafficReads
  readonly now: () => Date
  /** Reads the progress with grades, judges, evals and aliases. */
  readonly progressOf: (workspaceId: string) => Promise<LoopProgress>
}

export function setupRoutes(router: Router, { workspaces, segments, progressOf, now }: SetupRouteDeps): void {
  mountRaw(router, getSetupStatus, async ({ request, identity: { workspaceId } }, response) => {
    const at = now()
    const [settings, traffic, progress] = await Promise.all([
      workspaces.settings(workspaceId),
      segments.totals({ workspaceId, at }),
      progressOf(workspaceId),
    ])
    if (settings === null) throw new ServiceError('not_found', 'The workspace does not exist any more.')
    const status = setupStatusOf({ settings, traffic, progress, now: at })
    if (request.accepts(['json', 'text/plain']) === 'text/plain')
      response.type('text/plain').send(setupStatusText(status))
    else response.json(status)
  })
}

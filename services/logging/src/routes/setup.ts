import { getSetupStatus } from '@ratchet/contracts/setup-status'
import { mountRaw } from '@ratchet/service-kit/mount'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Router } from 'express'
import { type LoopProgress, setupStatusOf, setupStatusText } from '../domain/setup-status.ts'
import type { WorkspaceReads } from '../domain/workspace-reads.ts'

export interface SetupRouteDeps {
  readonly workspaces: WorkspaceReads
  /** How far a workspace is with grades, judges, evals and aliases. */
  readonly progressOf: (workspaceId: string) => Promise<LoopProgress>
}

/** How far a workspace is. */
export function setupRoutes(router: Router, { workspaces, progressOf }: SetupRouteDeps): void {
  mountRaw(router, getSetupStatus, async ({ request, identity: { workspaceId } }, response) => {
    const [settings, exchanges, progress] = await Promise.all([
      workspaces.settings(workspaceId),
      workspaces.countExchanges(workspaceId),
      progressOf(workspaceId),
    ])
    if (settings === null) throw new ServiceError('not_found', 'There is no such workspace any more.')
    const status = setupStatusOf({ settings, exchanges, progress })
    if (request.accepts(['json', 'text/plain']) === 'text/plain')
      response.type('text/plain').send(setupStatusText(status))
    else response.json(status)
  })
}

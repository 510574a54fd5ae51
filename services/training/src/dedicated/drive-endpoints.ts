import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { withLease } from '@ratchet/work-kit/leases/with-lease'
import { startDueWork } from '@ratchet/work-kit/polling/due-runner'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { type AdvanceEndpointDeps, advanceEndpoint } from './advance-endpoint.ts'
import type { DrivenEndpoint } from './endpoint.ts'

export interface DriveEndpointsDeps extends AdvanceEndpointDeps {
  /** Called when the database cannot be read. */
  readonly onError: (error: unknown) => void
  readonly onProgress: () => void
}

export interface DriveEndpointsOptions {
  readonly changes: WorkChanges
  readonly onStop: OnStop
  /** Between two searches, milliseconds. */
  readonly everyMs: number
}

/** Endpoints that a worker advances at the same time, which takes some statements each, and those of a workspace among them. */
const concurrency = 8
const maxOfWorkspace = 4
const leaseMs = 30_000

/** Advances endpoints until the process stops. */
export function driveEndpoints(deps: DriveEndpointsDeps, { changes, onStop, everyMs }: DriveEndpointsOptions): void {
  const { driver, onError, onProgress } = deps
  const leases = { lease: async () => null, renew: driver.renew }
  startDueWork<DrivenEndpoint>(
    {
      take: (limit, inProgress) => {
        const busy = inProgress.map(({ workspaceId }) => workspaceId)
        return driver.take({ limit, inProgress: busy, maxOfWorkspace }, leaseMs)
      },
      process: async (endpoint) => {
        await withLease<DrivenEndpoint>(leases, endpoint, (leased) => advanceEndpoint(deps, leased))
      },
      concurrency,
      onError,
      onProgress,
    },
    { everyMs, changes, onStop },
  )
}

import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { startLeasedWork } from '@ratchet/work-kit/polling/leased-work'
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

/** Advances endpoints until the process stops. */
export function driveEndpoints(deps: DriveEndpointsDeps, { changes, onStop, everyMs }: DriveEndpointsOptions): void {
  const { driver, onError, onProgress } = deps
  startLeasedWork<DrivenEndpoint>(
    {
      rows: driver,
      advance: (endpoint) => advanceEndpoint(deps, endpoint),
      concurrency,
      maxOfWorkspace,
      onError,
      onProgress,
    },
    { everyMs, changes, onStop },
  )
}

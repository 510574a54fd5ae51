import type { Share } from '../leases/leased-item.ts'
import { leaseMs, withLease } from '../leases/with-lease.ts'
import { type DueWork, type DueWorkOptions, startDueWork } from './due-runner.ts'

/** Rows that one worker at a time advances. */
export interface LeasedRows<Row> {
  /** Leases rows that are due, those first whose workspace has the fewest in progress here. */
  take(share: Share, leaseMs: number): Promise<readonly Row[]>
  renew(row: Row, leaseMs: number): Promise<unknown>
}

export interface LeasedWork<Row> extends Pick<DueWork<Row>, 'concurrency' | 'onError' | 'onProgress'> {
  readonly rows: LeasedRows<Row>
  readonly advance: (row: Row) => Promise<void>
  /** Maximum rows of one workspace that the process has in progress. */
  readonly maxOfWorkspace: number
}

/** Leases rows and advances them until the process stops, which waits for those in progress. */
export function startLeasedWork<Row extends { readonly workspaceId: string }>(
  { rows, advance, maxOfWorkspace, ...others }: LeasedWork<Row>,
  options: DueWorkOptions,
): void {
  const leases = { lease: async () => null, renew: (row: Row) => rows.renew(row, leaseMs) }
  startDueWork<Row>(
    {
      ...others,
      take: (limit, inProgress) => {
        const busy = inProgress.map(({ workspaceId }) => workspaceId)
        return rows.take({ limit, inProgress: busy, maxOfWorkspace }, leaseMs)
      },
      process: async (row) => {
        await withLease<Row>(leases, row, advance)
      },
    },
    options,
  )
}

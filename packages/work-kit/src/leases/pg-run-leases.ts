import type { Pool } from '@ratchet/db/connect-pool'
import type { Lease, Share } from './leased-item.ts'
import { type RunTable, runStatements } from './run-statements.ts'

/** Why a run is returned without having advanced. */
export interface RunRelease {
  /** Delay until it may be leased again, milliseconds. */
  readonly delayMs: number
  /** Whether the attempt counts: `attempts` is the number of failed steps since the run last advanced. */
  readonly hasFailed: boolean
}

export interface RunLeases<Run> {
  /** Leases a run. Null when it has ended or another worker holds it. */
  lease(id: string, leaseMs: number): Promise<Run | null>
  /** Leases runs that can advance, those first whose workspace has the fewest in progress here. */
  take(share: Share, leaseMs: number): Promise<readonly Run[]>
  /** Extends the lease, unless the run was returned meanwhile. */
  renew(run: Lease, leaseMs: number): Promise<void>
  /** Returns the lease, to retry a step or to wait for items. */
  release(run: Lease, release: RunRelease): Promise<void>
  /** Ids of runs that a worker can advance, because none of their items is unfinished. The oldest first. */
  ready(limit: number): Promise<readonly string[]>
}

/**
 * Leases of the runs in a table. Name the fields of the table in the call: `infra/src/checks/tenant-sql` reads them
 * there in order to check the statements.
 *
 * @param readRow makes a run of its row
 */
export function createPgRunLeases<Row extends object, Run>(
  pool: Pool,
  table: RunTable,
  readRow: (row: Row) => Run,
): RunLeases<Run> {
  const statements = runStatements(table)
  return {
    async lease(id, leaseMs) {
      const { rows } = await pool.query<Row>(statements.lease, [id, leaseMs])
      return rows[0] === undefined ? null : readRow(rows[0])
    },
    async take({ limit, inProgress, maxOfWorkspace }, leaseMs) {
      const { rows } = await pool.query<Row>(statements.take, [leaseMs, limit, inProgress, maxOfWorkspace])
      return rows.map(readRow)
    },
    async renew({ id, generation }, leaseMs) {
      await pool.query(statements.renew, [id, generation, leaseMs])
    },
    async release({ id, generation }, { delayMs, hasFailed }) {
      await pool.query(statements.release, [id, generation, delayMs, hasFailed ? 0 : 1])
    },
    async ready(limit) {
      const { rows } = await pool.query<{ id: string }>(statements.ready, [limit])
      return rows.map(({ id }) => id)
    },
  }
}

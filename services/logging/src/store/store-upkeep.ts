import type { WholeExchange } from '../exchanges/logged-exchange.ts'
import type { UnsegmentedExchange } from '../exchanges/raw-exchange.ts'

/** What a store of exchanges outside of Postgres needs from it. */
export interface StoreUpkeep {
  /**
   * Finds the segments of exchanges and runs work with them. One process does so at a time for a workspace. Families
   * that were found are stored when the work succeeds.
   */
  withSegments<T>(
    exchanges: readonly UnsegmentedExchange[],
    work: (exchanges: readonly WholeExchange[]) => Promise<T>,
  ): Promise<T>
  /** Runs work while no process writes exchanges of the workspace. */
  exclusively<T>(workspaceId: string, work: () => Promise<T>): Promise<T>
  /** Labels of segments; those without one are missing. */
  labels(workspaceId: string, segments: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Retention in days; deleted workspaces are missing. */
  retentionDays(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

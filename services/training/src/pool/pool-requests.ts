import type { PoolVersion } from './pool.ts'

/** What users ask of the pool. A worker learns of it at once. */
export interface PoolRequests {
  /**
   * Has the pool serve a version. One that it serves already goes on; one that has failed is tried again.
   *
   * @param mostOfWorkspace versions of a workspace in the pool. A few more can begin at the same moment.
   * @returns false when the workspace has so many
   */
  serve(
    version: Omit<PoolVersion, 'usedAt'> & { readonly requestedBy: string },
    mostOfWorkspace: number,
  ): Promise<boolean>
  /** Requests do not reach it any more, at most about a second later. */
  unserve(version: Pick<PoolVersion, 'id' | 'workspaceId'>): Promise<void>
}

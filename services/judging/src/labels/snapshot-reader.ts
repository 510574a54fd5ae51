import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'

/** What was kept of graded exchanges. */
export interface SnapshotReader {
  /** By UUID; null when the workspace has none of this id. */
  get(workspaceId: string, snapshotId: string): Promise<JudgedExchange | null>
}

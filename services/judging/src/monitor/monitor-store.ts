import type { OnlineCriterion } from './online-criterion.ts'

/** What the monitor remembers. */
export interface MonitorStore {
  /** Judges of all workspaces that monitor, in order of their workspaces. */
  onlineCriteria(): Promise<readonly OnlineCriterion[]>
  /** UUID of the exchange behind which a workspace's traffic is still to be looked at; null before the first look. */
  cursorOf(workspaceId: string): Promise<string | null>
  /** Forgets where all others stand: what comes by while nobody monitors is not judged later. */
  keepCursors(workspaceIds: readonly string[]): Promise<void>
  moveCursor(workspaceId: string, lastLogId: string, at: Date): Promise<void>
  /** Runs `work` unless another process runs its own. False when it did not. */
  alone(work: () => Promise<void>): Promise<boolean>
}

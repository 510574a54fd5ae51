import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { CapNotices } from './cap-notice.ts'
import { isPaused, type OnlineCriterion } from './online-criterion.ts'
import type { MonitorStore } from './pg-monitor.ts'

export interface WatchWorkspacesDeps {
  readonly monitor: Pick<MonitorStore, 'onlineCriteria' | 'deleteOtherCursors' | 'runExclusively'>
  readonly capNotices: CapNotices
  readonly now: () => Date
  readonly onFailure: (workspaceId: string, cause: unknown) => void
}

/** One pass of one process over every workspace that has a monitor of this unit. */
export async function watchWorkspaces(
  { monitor, capNotices, now, onFailure }: WatchWorkspacesDeps,
  unit: StoredCriterion['unit'],
  watch: (workspaceId: string, criteria: readonly OnlineCriterion[]) => Promise<void>,
): Promise<void> {
  await monitor.runExclusively(unit, async () => {
    const all = await monitor.onlineCriteria(unit)
    const workspaces = Map.groupBy(all, ({ workspaceId }) => workspaceId)
    await monitor.deleteOtherCursors(unit, [...workspaces.keys()])
    for (const [workspaceId, criteria] of workspaces) {
      try {
        for (const judge of criteria.filter(isPaused)) await capNotices.note(judge, now())
        await watch(workspaceId, criteria)
      } catch (cause) {
        if (!(cause instanceof LoggingIsOff)) onFailure(workspaceId, cause)
      }
    }
  })
}

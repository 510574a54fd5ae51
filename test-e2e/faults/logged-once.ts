import { eventually } from '@ratchet/testing/eventually'
import { readLog } from '../logged-exchanges.ts'
import type { Fault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'

/** Waits until each of these answers is in the log, and fails when one is there twice. */
export function expectEachLoggedOnce({ fleet }: Fault, asked: readonly Asked[]): Promise<unknown> {
  return eventually(
    async () => {
      const rows = await readLog(fleet, fleet.workspace.workspaceId)
      const counts = Map.groupBy(rows, ({ request_id }) => request_id)
      expect(asked.filter(({ requestId }) => counts.get(requestId ?? '')?.length !== 1)).toEqual([])
    },
    { withinMs: 45_000, everyMs: 250 },
  )
}

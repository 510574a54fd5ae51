import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import { ledgerAtRest } from '../ledger-oracle.ts'

const statement = `
  SELECT coalesce(sum(w.cost_nano), 0)::text AS cost, count(*) FILTER (WHERE w.state <> 'posted')::int AS open,
    (SELECT coalesce(sum(1000 * extract(epoch FROM i.to_at - i.from_at)), 0) FROM replica_interval i
      WHERE i.workspace_id = $1)::float8 - coalesce(sum(w.ready_ms), 0) AS difference
  FROM replica_window w WHERE w.workspace_id = $1`

interface WindowSums {
  readonly cost: string
  readonly open: number
  /** Milliseconds in which replicas were ready, less those that were charged. */
  readonly difference: number
}

/**
 * Waits until nothing runs and nothing is held for a workspace, and checks its charges for dedicated endpoints: each window was
 * charged once, windows are the time in which replicas were ready, and the ledger has no other charges.
 *
 * @param other what the workspace was charged for something else, nano-dollars
 */
export async function requireRightCharges(
  fleet: { readonly databaseUrl: string },
  workspace: Pick<DemoWorkspace, 'workspaceId'>,
  other = 0n,
): Promise<void> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl })
  await client.connect()
  try {
    await eventually(
      async () => {
        const { violations, charged, held } = await ledgerAtRest(fleet, workspace)
        const { rows } = await client.query<WindowSums>(statement, [workspace.workspaceId])
        const [sums] = rows
        expect([violations, held, sums?.open]).toEqual([[], 0n, 0])
        expect(charged).toBe(BigInt(sums?.cost ?? '-1') + other)
        // A window is charged by whole milliseconds.
        expect(Math.abs(sums?.difference ?? 1_000)).toBeLessThan(10)
      },
      { withinMs: 30_000, everyMs: 200 },
    )
  } finally {
    await client.end()
  }
}

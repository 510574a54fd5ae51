import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { ledgerAtRest } from './ledger-oracle.ts'
import { operatorOf } from './ratchet-command.ts'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'

/** What `ratchet admin audit` says when the holds of these workspaces are closed. */
export async function adminAudit(
  fleet: Pick<RunningFleet, 'url' | 'databaseUrl'>,
  workspaces: readonly Pick<DemoWorkspace, 'workspaceId'>[],
): Promise<{ readonly code: number; readonly ok: boolean; readonly violations: unknown }> {
  for (const workspace of workspaces) await ledgerAtRest(fleet, workspace)
  const { code, stdout, stderr } = await operatorOf(fleet)('admin', 'audit', '--json')
  if (stdout === '') throw new Error(stderr)
  const { ok, violations } = JSON.parse(stdout)
  return { code, ok, violations }
}

export const cleanAudit = { code: 0, ok: true, violations: [] }

import { connectPrisma } from '@ratchet/db/connect'
import {
  changeKeyRules,
  changeWorkspaceSettings,
  type RateLimitRow,
  type WorkspaceSettingsRow,
} from '@ratchet/db/workspace-settings'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'

export interface WorkspaceChoices extends Partial<WorkspaceSettingsRow> {
  /** Limits of its first key. */
  readonly keyLimits?: Partial<RateLimitRow>
}

/** Creates a workspace with these settings, which apply from its first request, because no process has cached others. */
export async function workspaceWith(
  fleet: Pick<RunningFleet, 'databaseUrl'>,
  choices: WorkspaceChoices = {},
): Promise<DemoWorkspace> {
  const workspace = await createDemoWorkspace(fleet.databaseUrl)
  await choose(fleet, workspace, choices)
  return workspace
}

/** Changes settings of a workspace; if it was used before, they apply after a moment. */
export async function choose(
  { databaseUrl }: Pick<RunningFleet, 'databaseUrl'>,
  workspace: Pick<DemoWorkspace, 'workspaceId' | 'keyId'>,
  { keyLimits, ...changes }: WorkspaceChoices,
): Promise<void> {
  const db = connectPrisma({ databaseUrl, max: 1 })
  try {
    await changeWorkspaceSettings(db, { workspaceId: workspace.workspaceId, changes })
    if (keyLimits !== undefined) await changeKeyRules(db, { id: workspace.keyId, changes: keyLimits })
  } finally {
    await db.$disconnect()
  }
}

import { connectPrisma } from '@ratchet/db/connect'
import {
  changeKeyLimits,
  changeWorkspaceSettings,
  type RateLimitRow,
  type WorkspaceSettingsRow,
} from '@ratchet/db/workspace-settings'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import type { Fleet } from './fleet.ts'

export interface WorkspaceChoices extends Partial<WorkspaceSettingsRow> {
  /** Of its first key. */
  readonly keyLimits?: Partial<RateLimitRow>
}

/** A new workspace with these settings, which hold from its first request on: nobody has read others of it. */
export async function workspaceWith(
  fleet: Pick<Fleet, 'databaseUrl'>,
  choices: WorkspaceChoices = {},
): Promise<DemoWorkspace> {
  const workspace = await createDemoWorkspace(fleet.databaseUrl)
  await choose(fleet, workspace, choices)
  return workspace
}

/** Settings of a workspace; those of one that has been used take a moment to be known. */
export async function choose(
  { databaseUrl }: Pick<Fleet, 'databaseUrl'>,
  workspace: Pick<DemoWorkspace, 'workspaceId' | 'keyId'>,
  { keyLimits, ...changes }: WorkspaceChoices,
): Promise<void> {
  const db = connectPrisma({ databaseUrl, max: 1 })
  try {
    await changeWorkspaceSettings(db, { workspaceId: workspace.workspaceId, changes })
    if (keyLimits !== undefined) await changeKeyLimits(db, { id: workspace.keyId, changes: keyLimits })
  } finally {
    await db.$disconnect()
  }
}

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
  { databaseUrl }: Pick<Fleet, 'databaseUrl'>,
  { keyLimits, ...changes }: WorkspaceChoices = {},
): Promise<DemoWorkspace> {
  const workspace = await createDemoWorkspace(databaseUrl)
  await chooseFor({ databaseUrl, workspace }, { ...changes, ...(keyLimits === undefined ? {} : { keyLimits }) })
  return workspace
}

/** Gives a workspace these settings. Processes that have read its former ones learn of it within seconds. */
export async function chooseFor(
  { databaseUrl, workspace }: Pick<Fleet, 'databaseUrl' | 'workspace'>,
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

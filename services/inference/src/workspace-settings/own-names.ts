import { isDedicated } from '../dedicated/dedicated-route.ts'
import type { WorkspaceSettings } from './workspace-settings.ts'

/** How names of model versions begin. */
const versionPrefix = 'ft:'

/** True when one of the names is that of a version or an endpoint of a workspace, and the settings do not have it. */
export function lacksOwnName(
  { aliases, versions, dedicated }: Pick<WorkspaceSettings, 'aliases' | 'versions' | 'dedicated'>,
  names: readonly unknown[],
): boolean {
  return names.some((name) => {
    if (typeof name !== 'string' || !(name.startsWith(versionPrefix) || isDedicated(name))) return false
    return !(aliases.has(name) || versions.has(name) || dedicated.has(name))
  })
}

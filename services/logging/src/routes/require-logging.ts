import { ServiceError } from '@ratchet/service-kit/service-error'
import type { LoggingSettings, WorkspaceReads } from '../domain/workspace-reads.ts'

/** Refuses while the workspace does not log: what was logged before cannot be read either. */
export async function requireLogging(
  reads: Pick<WorkspaceReads, 'settings'>,
  workspaceId: string,
): Promise<LoggingSettings> {
  const settings = await reads.settings(workspaceId)
  if (settings?.isLogging === true) return settings
  throw new ServiceError('logging_disabled', 'Request logging is off for this workspace.')
}

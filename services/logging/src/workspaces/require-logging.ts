import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { LoggingSettings, WorkspaceReads } from './pg-workspace-reads.ts'

/**
 * @throws ServiceError `logging_disabled` while the workspace does not log. Exchanges logged before cannot be read
 * either.
 */
export async function requireLogging(
  reads: Pick<WorkspaceReads, 'settings'>,
  workspaceId: string,
): Promise<LoggingSettings> {
  const settings = await reads.settings(workspaceId)
  if (settings?.isLogging === true) return settings
  throw new ServiceError('logging_disabled', 'Request logging is off for this workspace.')
}

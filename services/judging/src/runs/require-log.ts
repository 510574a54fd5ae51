import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/**
 * Reads the log.
 *
 * @throws ServiceError `logging_disabled` when logging is off for the workspace
 */
export async function requireLog<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof LoggingIsOff)) throw error
    throw new ServiceError('logging_disabled', 'Request logging is off for this workspace.', { cause: error })
  }
}

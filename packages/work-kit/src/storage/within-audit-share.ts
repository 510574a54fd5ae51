import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** SQLSTATE of an event beyond the share of a workspace; see `count_audit_bytes` in the migrations. */
const shareExceeded = 'RL001'

/**
 * Makes a change that adds to an audit.
 *
 * @throws ServiceError `rate_limit_exceeded` when the workspace added as many bytes to its audits in 24 hours as it may;
 *   then nothing is changed
 */
export async function withinAuditShare<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (cause) {
    const { code, detail } = cause as { readonly code?: unknown; readonly detail?: unknown }
    if (code !== shareExceeded) throw cause
    const message = 'The workspace changed its judges and aliases too much in the last 24 hours.'
    throw new ServiceError('rate_limit_exceeded', message, { retryAfterSeconds: Number(detail), cause })
  }
}

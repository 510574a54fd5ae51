import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Redact } from './redact.ts'

/**
 * Redacts what a grader wrote; the graded content was redacted when it was logged.
 *
 * @throws ServiceError for a text that cannot be redacted, and while the log is unavailable
 */
export async function redactRationale(
  redact: Redact,
  identity: Identity,
  rationale: string | null,
): Promise<string | null> {
  if (rationale === null) return null
  const [document = null] = await redact(identity, [JSON.stringify({ rationale })]).catch(throwLogUnavailable)
  return readRationale(document)
}

/** @throws ServiceError for null, which stands for a text that cannot be redacted */
export function readRationale(document: string | null): string {
  if (document !== null) return (JSON.parse(document) as { readonly rationale: string }).rationale
  throw new ServiceError('invalid_request', 'The rationale cannot be redacted.', { param: 'rationale' })
}

export function throwLogUnavailable(cause: unknown): never {
  throw new ServiceError('service_unavailable', 'The log is unavailable. Retry.', { retryAfterSeconds: 1, cause })
}

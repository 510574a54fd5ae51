import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** SQLSTATE of a statement that would store more than the quota of a workspace; see `count_stored_bytes` in the migrations. */
const quotaExceeded = 'RQ001'

/** Whether something failed because its workspace would store more than its quota. */
export function isOverQuota(cause: unknown): boolean {
  return cause instanceof ServiceError && cause.code === 'quota_exceeded'
}

/** @throws ServiceError `quota_exceeded` when the workspace would store more than its quota */
export async function withinQuota<T>(store: () => Promise<T>): Promise<T> {
  try {
    return await store()
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== quotaExceeded) throw cause
    const message = 'The workspace stores as many bytes as it may. Delete files, datasets or stored responses.'
    throw new ServiceError('quota_exceeded', message, { cause })
  }
}

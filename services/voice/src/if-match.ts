import { ServiceError } from '@ratchet/service-kit/http/service-error'

/**
 * The version that a request requires: plain, or as an entity tag, which some proxies make weak.
 *
 * @returns null without the header, and for `*`
 * @throws ServiceError `invalid_request` for any other value
 */
export function requiredVersion(request: { get(header: string): string | undefined }): number | null {
  const text = request.get('If-Match')?.trim()
  if (text === undefined || text === '*') return null
  const [, tag, plain] = /^(?:(?:W\/)?"([0-9]{1,9})"|([0-9]{1,9}))$/.exec(text) ?? []
  const version = tag ?? plain
  if (version !== undefined) return Number(version)
  throw new ServiceError('invalid_request', '`If-Match` must be a version, such as 3.', { param: 'If-Match' })
}

/** @throws ServiceError `version_conflict` when another version is required than the present one */
export function requireVersion(present: number, required: number | null): void {
  if (required === null || required === present) return
  const message = `The present version is ${present}. Read it again before you change it.`
  throw new ServiceError('version_conflict', message, { param: 'If-Match' })
}

import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Request } from 'express'

/**
 * The version that a request is about, plain or as an entity tag; null where it does not say, or takes any.
 *
 * @throws ServiceError for what is no version
 */
export function readIfMatch(request: Pick<Request, 'get'>): number | null {
  const text = request.get('If-Match')?.trim()
  if (text === undefined || text === '*') return null
  const version = /^(?:"([0-9]{1,9})"|([0-9]{1,9}))$/.exec(text)
  if (version !== null) return Number(version[1] ?? version[2])
  throw new ServiceError('invalid_request', '`If-Match` must be the version of an alias, such as 3.', {
    param: 'If-Match',
  })
}

/** @param version of the alias; null where there is none @throws ServiceError `version_conflict` when another is meant */
export function requireVersion(version: number | null, wanted: number | null): void {
  if (wanted === null || wanted === version) return
  const present = version === null ? 'There is no such alias any more.' : `It has version ${version} by now.`
  throw new ServiceError('version_conflict', `${present} Read it again before you change it.`, {
    param: 'If-Match',
    details: { version },
  })
}

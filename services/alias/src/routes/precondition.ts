import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Request } from 'express'

/** What a request says that an alias must be before it is changed. */
export type Precondition =
  | { readonly kind: 'none' }
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'present' }
  /** There must be none of this name. */
  | { readonly kind: 'absent' }

/**
 * Reads `If-Match`, a version, plain or as an entity tag (some proxies weaken those), and `If-None-Match: *`.
 *
 * @throws ServiceError for what is neither
 */
export function readPrecondition(request: Pick<Request, 'get'>): Precondition {
  const absent = request.get('If-None-Match')?.trim()
  if (absent !== undefined && absent !== '*') throw unreadable('If-None-Match', 'must be `*`')
  const text = request.get('If-Match')?.trim()
  if (absent !== undefined && text !== undefined) throw unreadable('If-None-Match', 'cannot go with `If-Match`')
  if (absent !== undefined) return { kind: 'absent' }
  if (text === undefined) return { kind: 'none' }
  if (text === '*') return { kind: 'present' }
  const version = /^(?:(?:W\/)?"([0-9]{1,9})"|([0-9]{1,9}))$/.exec(text)
  if (version === null) throw unreadable('If-Match', 'must be the version of an alias, such as 3')
  return { kind: 'version', version: Number(version[1] ?? version[2]) }
}

function unreadable(param: string, why: string): ServiceError {
  return new ServiceError('invalid_request', `\`${param}\` ${why}.`, { param })
}

/** @param version of the alias; null where there is none @throws ServiceError `version_conflict` when that is not what it must be */
export function requirePrecondition(version: number | null, requested: Precondition): void {
  if (requested.kind === 'none' || (requested.kind === 'version' && requested.version === version)) return
  if (requested.kind === 'absent' ? version === null : requested.kind === 'present' && version !== null) return
  const present = version === null ? 'There is no such alias any more.' : `It has version ${version} by now.`
  throw new ServiceError('version_conflict', `${present} Read it again before you change it.`, {
    param: requested.kind === 'absent' ? 'If-None-Match' : 'If-Match',
    details: { version },
  })
}

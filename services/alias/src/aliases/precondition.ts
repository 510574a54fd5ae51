import { ServiceError } from '@ratchet/service-kit/service-error'

/** Condition of a request on the alias that it changes. */
export type Precondition =
  | { readonly kind: 'none' }
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'present' }
  /** No alias of this name may exist. */
  | { readonly kind: 'absent' }

interface HeaderReader {
  get(header: string): string | undefined
}

/**
 * Reads `If-Match`, a version, plain or as an entity tag (some proxies weaken those), and `If-None-Match: *`.
 *
 * @throws ServiceError `invalid_request` for any other value
 */
export function readPrecondition(request: HeaderReader): Precondition {
  const absent = request.get('If-None-Match')?.trim()
  if (absent !== undefined && absent !== '*') throw unreadable('If-None-Match', 'must be `*`')
  const text = request.get('If-Match')?.trim()
  if (absent !== undefined && text !== undefined)
    throw unreadable('If-None-Match', 'cannot be combined with `If-Match`')
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
  const present = version === null ? 'This alias does not exist any more.' : `This alias has version ${version} now.`
  throw new ServiceError('version_conflict', `${present} Read it again before you change it.`, {
    param: requested.kind === 'absent' ? 'If-None-Match' : 'If-Match',
    details: { version },
  })
}

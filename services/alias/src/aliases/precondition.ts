import { ServiceError } from '@ratchet/service-kit/http/service-error'

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
 * Reads `If-None-Match: *` and `If-Match`. The latter is a version, plain or as an entity tag; some proxies make an
 * entity tag weak.
 *
 * @throws ServiceError `invalid_request` for any other value
 */
export function readPrecondition(request: HeaderReader): Precondition {
  const absent = request.get('If-None-Match')?.trim()
  if (absent !== undefined && absent !== '*') throw invalid('If-None-Match', 'must be `*`')
  const text = request.get('If-Match')?.trim()
  if (absent !== undefined && text !== undefined) throw invalid('If-None-Match', 'cannot be combined with `If-Match`')
  if (absent !== undefined) return { kind: 'absent' }
  if (text === undefined) return { kind: 'none' }
  if (text === '*') return { kind: 'present' }
  const version = /^(?:(?:W\/)?"([0-9]{1,9})"|([0-9]{1,9}))$/.exec(text)
  if (version === null) throw invalid('If-Match', 'must be the version of an alias, such as 3')
  return { kind: 'version', version: Number(version[1] ?? version[2]) }
}

function invalid(param: string, reason: string): ServiceError {
  return new ServiceError('invalid_request', `\`${param}\` ${reason}.`, { param })
}

/** @param version of the alias; null when it does not exist @throws ServiceError `version_conflict` when it does not match */
export function requirePrecondition(version: number | null, condition: Precondition): void {
  if (condition.kind === 'none' || (condition.kind === 'version' && condition.version === version)) return
  if (condition.kind === 'absent' ? version === null : condition.kind === 'present' && version !== null) return
  const present = version === null ? 'This alias does not exist any more.' : `This alias has version ${version} now.`
  throw new ServiceError('version_conflict', `${present} Read it again before you change it.`, {
    param: condition.kind === 'absent' ? 'If-None-Match' : 'If-Match',
    details: { version },
  })
}

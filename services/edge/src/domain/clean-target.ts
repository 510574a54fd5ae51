import { ServiceError } from '@ratchet/service-kit/service-error'

/** A request target that means the same to the edge, to the service behind it and to anything between. */
export interface CleanTarget {
  /** Without the query. */
  readonly path: string
  /** Path and query, as they are forwarded. */
  readonly url: string
}

/** Segments of plain characters that do not begin with a dot: nothing in them can be read two ways. */
const plainPath = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9_~.-]*)+$/
/** RFC 3986 path characters; anything else must come percent-encoded. */
const pathCharacters = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})+$/
const queryCharacters = /^[\x21\x22\x24-\x7e]*$/
/** A separator or NUL in disguise, encoded once or twice. */
const encodedSeparator = /%(?:25)*(?:2f|5c|00)/i
const encodedDot = /%(?:25)*2e/gi

/** Model ids hold slashes and the OpenAI SDKs encode them, so here alone an encoded slash is a slash. */
const modelsPrefix = '/v1/models/'

/**
 * Accepts an origin-form target that can be read in one way only.
 *
 * @throws ServiceError `invalid_request` for anything else: absolute or asterisk form, `//`, dot
 *   segments, encoded separators, raw backslashes, control characters, non-ASCII.
 */
export function cleanTarget(target: string): CleanTarget {
  if (plainPath.test(target)) return { path: target, url: target }
  if (!target.startsWith('/')) throw refused('The request target must be a path.')
  const queryStart = target.indexOf('?')
  const path = cleanPath(queryStart === -1 ? target : target.slice(0, queryStart))
  if (queryStart === -1) return { path, url: path }
  const query = target.slice(queryStart)
  if (!queryCharacters.test(query)) throw refused('The query holds characters that must be percent-encoded.')
  if (query.includes('%00')) throw refused('The query must not hold NUL.')
  return { path, url: path + query }
}

function cleanPath(raw: string): string {
  if (!pathCharacters.test(raw)) throw refused('The path holds characters that must be percent-encoded.')
  const path = raw.startsWith(modelsPrefix) ? raw.replace(/%2f/gi, '/') : raw
  if (encodedSeparator.test(path)) throw refused('The path must not hold encoded separators.')
  if (path.includes('//')) throw refused('The path must not hold empty segments.')
  if (path.replace(encodedDot, '.').split('/').some(isDotSegment)) throw refused('The path must not hold dot segments.')
  return path
}

function isDotSegment(segment: string): boolean {
  return segment === '.' || segment === '..'
}

function refused(message: string): ServiceError {
  return new ServiceError('invalid_request', message)
}

import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** A request target that the edge, the service and every proxy between them read in the same way. */
export interface CleanTarget {
  /** Without the query. */
  readonly path: string
  /** Path and query, as they are forwarded. */
  readonly url: string
}

/** Segments of plain characters that do not begin with a dot. They cannot be ambiguous. */
const plainPath = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9_~.-]*)+$/
/** Path characters of RFC 3986. All others must be percent-encoded. */
const pathCharacters = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})+$/
const queryCharacters = /^[\x21\x22\x24-\x7e]*$/
/** A slash, backslash or NUL that is percent-encoded once or twice. */
const encodedSeparator = /%(?:25)*(?:2f|5c|00)/i
const encodedDot = /%(?:25)*2e/gi

/** Model ids contain slashes, which the OpenAI SDKs encode. Only here an encoded slash counts as a slash. */
const modelPrefixes = ['/v1/models/', '/v1beta/models/', '/openai/deployments/']

/**
 * Accepts a target in origin form that is not ambiguous.
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
  if (!queryCharacters.test(query)) throw refused('The query contains characters that must be percent-encoded.')
  if (query.includes('%00')) throw refused('The query must not contain NUL.')
  return { path, url: path + query }
}

function cleanPath(raw: string): string {
  if (!pathCharacters.test(raw)) throw refused('The path contains characters that must be percent-encoded.')
  const path = modelPrefixes.some((prefix) => raw.startsWith(prefix)) ? raw.replace(/%2f/gi, '/') : raw
  if (encodedSeparator.test(path)) throw refused('The path must not contain encoded separators.')
  if (path.includes('//')) throw refused('The path must not contain empty segments.')
  if (path.replace(encodedDot, '.').split('/').some(isDotSegment))
    throw refused('The path must not contain dot segments.')
  return path
}

function isDotSegment(segment: string): boolean {
  return segment === '.' || segment === '..'
}

function refused(message: string): ServiceError {
  return new ServiceError('invalid_request', message)
}

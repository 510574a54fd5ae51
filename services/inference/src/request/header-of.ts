import type { ServedRequest } from '@ratchet/service-kit/http/served'

/** A header of a request; null when it is absent or empty. */
export function headerOf(request: ServedRequest, name: string): string | null {
  const value = rawHeaderOf(request, name) ?? ''
  return value === '' ? null : value
}

/** A header of a request as it was sent; undefined when it is absent. */
export function rawHeaderOf({ headers }: ServedRequest, name: string): string | undefined {
  const value = headers[lowerCaseOf(name)]
  return typeof value === 'string' ? value : value?.toString()
}

/** The names that were asked for, in lower case. The code asks each request for the same ones. */
const lowerCase = new Map<string, string>()
/** Names that clients choose are read in this way too. */
const maxLowerCase = 100

function lowerCaseOf(name: string): string {
  const known = lowerCase.get(name)
  if (known !== undefined) return known
  const lower = name.toLowerCase()
  if (lowerCase.size < maxLowerCase) lowerCase.set(name, lower)
  return lower
}

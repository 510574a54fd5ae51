import type { ServedRequest } from '@ratchet/service-kit/http/served'

/** A header of a request; null when it is absent or empty. */
export function headerOf(request: ServedRequest, name: string): string | null {
  const value = rawHeaderOf(request, name) ?? ''
  return value === '' ? null : value
}

/** A header of a request as it was sent; undefined when it is absent. */
export function rawHeaderOf({ headers }: ServedRequest, name: string): string | undefined {
  return headers[name.toLowerCase()]?.toString()
}

import type { Request } from 'express'

/** A header of a request; null for one that is absent or says nothing. */
export function headerOf(request: Request, name: string): string | null {
  const value = request.get(name) ?? ''
  return value === '' ? null : value
}

import type { Request } from 'express'

/** A header of a request; null when it is absent or empty. */
export function headerOf(request: Request, name: string): string | null {
  const value = request.get(name) ?? ''
  return value === '' ? null : value
}

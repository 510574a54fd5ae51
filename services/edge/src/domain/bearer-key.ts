/** The key of an `Authorization: Bearer` header, or null when it is not one. The scheme's case does not matter. */
export function bearerKey(authorization: string | null): string | null {
  if (authorization === null || authorization.length < 8) return null
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null
  return authorization.slice(7).trimStart()
}

import type { RequestHead } from '../admission/read-head.ts'

/** Where clients of Anthropic's API send their key in `x-api-key`, some of them in both headers. */
const apiKeyPath = '/v1/messages'

/**
 * Returns the API key of a request; null when it has none. Clients of Anthropic, Azure and Google send it in a header of
 * their own, also to endpoints that their provider does not have. Beside a bearer such a header means something else,
 * except where Anthropic's clients send both: there two that differ are no key.
 *
 * @param path normalized, without the query
 */
export function callerKey({ authorization, apiKey }: Pick<RequestHead, 'authorization' | 'apiKey'>, path: string) {
  const bearer = bearerKey(authorization)
  if (apiKey === null) return bearer
  if (authorization === null) return apiKey
  return !takesBoth(path) || bearer === apiKey ? bearer : null
}

function takesBoth(path: string): boolean {
  return path === apiKeyPath || path.startsWith(`${apiKeyPath}/`)
}

/** Returns the key of an `Authorization: Bearer` header, in any case; null for another scheme. */
function bearerKey(authorization: string | null): string | null {
  if (authorization === null || authorization.length < 8) return null
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null
  return authorization.slice(7).trimStart()
}

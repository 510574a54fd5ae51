import type { RequestHead } from '../admission/read-head.ts'

/** Clients of Anthropic's API send their key in `x-api-key`. At other URLs that header is ignored. */
const apiKeyPath = '/v1/messages'

/**
 * Returns the API key of a request; null when it has none, or two that differ.
 *
 * @param path normalized, without the query
 */
export function callerKey({ authorization, apiKey }: Pick<RequestHead, 'authorization' | 'apiKey'>, path: string) {
  const bearer = bearerKey(authorization)
  if (apiKey === null || !takesApiKey(path)) return bearer
  return authorization === null || bearer === apiKey ? apiKey : null
}

function takesApiKey(path: string): boolean {
  return path === apiKeyPath || path.startsWith(`${apiKeyPath}/`)
}

/** Returns the key of an `Authorization: Bearer` header, in any case; null for another scheme. */
function bearerKey(authorization: string | null): string | null {
  if (authorization === null || authorization.length < 8) return null
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null
  return authorization.slice(7).trimStart()
}

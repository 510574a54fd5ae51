import { bearerKey } from './bearer-key.ts'
import type { RequestHead } from './read-head.ts'

/** Where Anthropic's clients send their key in `x-api-key`; it is no key anywhere else. */
const apiKeyPath = '/v1/messages'

/**
 * The key that a request comes with, or null when it has none, or two that differ.
 *
 * @param path the cleaned path, without the query
 */
export function callerKey({ authorization, apiKey }: Pick<RequestHead, 'authorization' | 'apiKey'>, path: string) {
  const bearer = bearerKey(authorization)
  if (apiKey === null || !takesApiKey(path)) return bearer
  return authorization === null || bearer === apiKey ? apiKey : null
}

function takesApiKey(path: string): boolean {
  return path === apiKeyPath || path.startsWith(`${apiKeyPath}/`)
}

import { Identity, Role } from '@ratchet/contracts/identity'
import { z } from 'zod'

/** What a process signs: an identity, and what it is bound to. */
export const Claims = Identity.extend({
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
  rid: z.string(),
  method: z.string(),
  path: z.string(),
})
  .refine(({ purpose, spendCap }) => spendCap === undefined || purpose !== undefined)
  .refine(({ purpose, channel }) => purpose === undefined || channel === undefined)
  // Who created a batch had a key or a session.
  .refine(
    ({ keyId, session, channel }) =>
      channel === 'batch' || (keyId === null) === (session !== undefined || channel !== undefined),
  )
  .refine(({ channel, batchHold }) => (channel === 'batch') === (batchHold !== undefined))
export type Claims = z.infer<typeof Claims>

/** Those of a request with an API key and nothing else. */
const plainClaims = 10
const uuid = z.regexes.uuid()
const roles: ReadonlySet<unknown> = new Set(Role.options)

/**
 * The claims of a parsed JSON text; null when they are not valid. Those of a request with an API key, as most have, are
 * checked here without zod, which takes three times as long; a test compares both.
 */
export function readClaims(value: unknown): Claims | null {
  if (isPlain(value)) return value
  const parsed = Claims.safeParse(value)
  return parsed.success ? parsed.data : null
}

function isPlain(value: unknown): value is Claims {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== plainClaims) return false
  const { workspaceId, userId, role, keyId, aud, iat, exp, rid, method, path } = value as Record<string, unknown>
  return (
    isUuid(workspaceId) &&
    isUuid(userId) &&
    isUuid(keyId) &&
    roles.has(role) &&
    typeof aud === 'string' &&
    Number.isFinite(iat) &&
    Number.isFinite(exp) &&
    typeof rid === 'string' &&
    typeof method === 'string' &&
    typeof path === 'string'
  )
}

function isUuid(value: unknown): boolean {
  return typeof value === 'string' && uuid.test(value)
}

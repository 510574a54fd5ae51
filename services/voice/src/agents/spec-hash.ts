import { createHash } from 'node:crypto'
import type { AgentSpec } from '@ratchet/contracts/voice/agents'

/** SHA-256 of settings in hex: the same for equal settings, whatever the order of their fields. */
export function specHash(spec: AgentSpec): string {
  return createHash('sha256').update(canonicalJson(spec)).digest('hex')
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

import type { NamedKey } from '@ratchet/service-kit/identity'
import { audienceKeys, formatKeys, services } from './service-list.ts'

/**
 * The variables that hold identity keys in the form that docker-compose.yml wants them: the master's for the edge, and
 * for each service that verifies identities its own, derived from it.
 */
export function identityVariables(masterKeys: readonly NamedKey[]): Readonly<Record<string, string>> {
  const audiences = services.filter(({ name, role }) => role === 'http' && name !== 'edge').map(({ name }) => name)
  return {
    IDENTITY_MASTER_KEYS: formatKeys(masterKeys),
    ...Object.fromEntries(
      audiences.map((name) => [`${name.toUpperCase()}_IDENTITY_KEYS`, formatKeys(audienceKeys(masterKeys, name))]),
    ),
  }
}

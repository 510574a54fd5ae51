import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { audienceKeys, formatKeys } from './audience-keys.ts'
import { services } from './service-list.ts'

/**
 * The variables with identity keys that docker-compose.yml reads: the master keys for the edge, and the derived keys of
 * each service that verifies identities.
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

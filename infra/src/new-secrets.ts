import { randomBytes } from 'node:crypto'
import { parseNamedKeys } from '@ratchet/service-kit/identity'
import { identityVariables } from './identity-variables.ts'
import { newNamedKeys } from './secrets-file.ts'

/** Fresh secrets of a fleet, under the names that docker-compose.yml and the cluster's Secret know them by. */
export function newSecrets(): Readonly<Record<string, string>> {
  return {
    POSTGRES_PASSWORD: randomBytes(24).toString('base64url'),
    ...identityVariables(parseNamedKeys(newNamedKeys())),
    ENCRYPTION_KEYS: newNamedKeys(),
  }
}

/** The same and what else docker-compose.yml wants. */
export function newComposeSecrets(): Readonly<Record<string, string>> {
  return { ...newSecrets(), GRAFANA_PASSWORD: randomBytes(24).toString('base64url') }
}

import { randomBytes } from 'node:crypto'
import { parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { identityVariables } from './identity-variables.ts'
import { newNamedKeys } from './secrets-file.ts'

/** Creates the secrets of a fleet, under their names in docker-compose.yml and in the cluster's Secret. */
export function newSecrets(): Readonly<Record<string, string>> {
  return {
    POSTGRES_PASSWORD: randomBytes(24).toString('base64url'),
    ...identityVariables(parseNamedKeys(newNamedKeys())),
    ENCRYPTION_KEYS: newNamedKeys(),
  }
}

/** The same, and the other variables that docker-compose.yml requires. */
export function newComposeSecrets(): Readonly<Record<string, string>> {
  return { ...newSecrets(), GRAFANA_PASSWORD: randomBytes(24).toString('base64url') }
}

import { parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { identityVariables } from './identity-variables.ts'
import { newNamedKeys, newPassword } from './secrets-file.ts'

/** Creates the secrets of a fleet, under their names in docker-compose.yml and in the cluster's Secret. */
export function newSecrets(): Readonly<Record<string, string>> {
  return {
    POSTGRES_PASSWORD: newPassword(),
    ...identityVariables(parseNamedKeys(newNamedKeys())),
    ENCRYPTION_KEYS: newNamedKeys(),
    AUTH_SECRET: newPassword(),
  }
}

/** The same, and the other variables that docker-compose.yml requires. */
export function newComposeSecrets(): Readonly<Record<string, string>> {
  return { ...newSecrets(), REDIS_PASSWORD: newPassword(), GRAFANA_PASSWORD: newPassword() }
}

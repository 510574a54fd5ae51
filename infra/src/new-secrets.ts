import { randomBytes } from 'node:crypto'
import { parseNamedKeys } from '@ratchet/service-kit/identity'
import { newNamedKeys } from './secrets-file.ts'
import { audienceKeys, formatKeys } from './service-list.ts'

/** Fresh secrets of a fleet, under the names that docker-compose.yml and the cluster's Secret know them by. */
export function newSecrets(): Readonly<Record<string, string>> {
  const masterKeys = newNamedKeys()
  const keysOf = (audience: string) => formatKeys(audienceKeys(parseNamedKeys(masterKeys), audience))
  return {
    POSTGRES_PASSWORD: randomBytes(24).toString('base64url'),
    IDENTITY_MASTER_KEYS: masterKeys,
    INFERENCE_IDENTITY_KEYS: keysOf('inference'),
    LOGGING_IDENTITY_KEYS: keysOf('logging'),
    JUDGING_IDENTITY_KEYS: keysOf('judging'),
    EVAL_IDENTITY_KEYS: keysOf('eval'),
    ALIAS_IDENTITY_KEYS: keysOf('alias'),
    ENCRYPTION_KEYS: newNamedKeys(),
  }
}

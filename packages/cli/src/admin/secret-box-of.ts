import { type NamedKey, parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox, type SecretBox } from '@ratchet/service-kit/identity/secret-box'
import { CliError } from '../cli-error.ts'
import { envValue } from '../cli-io.ts'
import { readFleetEncryptionKeys } from '../fleet-file.ts'
import type { AdminDeps } from './admin-commands.ts'

/**
 * Encrypts secrets as the deployment's inference decrypts them: with ENCRYPTION_KEYS, or with the keys of `npm start`
 * when the database is the one of `npm start`.
 *
 * @throws CliError for missing or malformed keys
 */
export async function secretBoxOf(deps: AdminDeps): Promise<SecretBox> {
  return createSecretBox({ keys: await encryptionKeysOf(deps), randomBytes: deps.randomBytes })
}

/**
 * Reads the deployment's encryption keys. The first one encrypts.
 *
 * @throws CliError for missing or malformed keys
 */
export async function encryptionKeysOf({
  env,
  isOfLocalFleet,
}: AdminDeps): Promise<readonly [NamedKey, ...NamedKey[]]> {
  const ofFleet = async () => (isOfLocalFleet ? readFleetEncryptionKeys(env) : null)
  const text = envValue(env, 'ENCRYPTION_KEYS') ?? (await ofFleet())
  if (text === null) {
    throw new CliError('ENCRYPTION_KEYS: set it to the value of the deployment; secrets are stored encrypted', {
      exitCode: 2,
    })
  }
  try {
    return parseNamedKeys(text)
  } catch (cause) {
    throw new CliError(`ENCRYPTION_KEYS: ${(cause as Error).message}`, { exitCode: 2, cause })
  }
}

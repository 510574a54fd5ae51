import { randomBytes } from 'node:crypto'
import { parseNamedKeys } from '@ratchet/service-kit/identity'
import { identityVariables } from '../identity-variables.ts'
import { newNamedKeys } from '../secrets-file.ts'

/* Prints the secrets that docker-compose.yml wants: `npm run --silent compose:env > .env`. */
const secrets = {
  POSTGRES_PASSWORD: randomBytes(24).toString('base64url'),
  ...identityVariables(parseNamedKeys(newNamedKeys())),
  ENCRYPTION_KEYS: newNamedKeys(),
}

for (const [name, value] of Object.entries(secrets)) console.log(`${name}=${value}`)

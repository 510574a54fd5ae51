import { randomBytes } from 'node:crypto'
import { parseNamedKeys } from '@ratchet/service-kit/identity'
import { newMasterKeys } from '../secrets-file.ts'
import { audienceKeys, formatKeys } from '../service-list.ts'

/* Prints the secrets that docker-compose.yml wants: `npm run --silent compose:env > .env`. */
const masterKeys = newMasterKeys()

console.log(`POSTGRES_PASSWORD=${randomBytes(24).toString('base64url')}
IDENTITY_MASTER_KEYS=${masterKeys}
INFERENCE_IDENTITY_KEYS=${formatKeys(audienceKeys(parseNamedKeys(masterKeys), 'inference'))}`)

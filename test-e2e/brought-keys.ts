import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import { connectPrisma } from '@ratchet/db/connect'
import { saveProviderKey } from '@ratchet/db/provider-keys'
import { parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'

type Vault = Pick<RunningFleet, 'databaseUrl' | 'encryptionKeys'>

const main = path.join(import.meta.dirname, '..', 'packages', 'cli', 'src', 'main.ts')

/** Runs a command of the operator. A secret, if any, is in the variable BROUGHT. */
export async function adminCommand(
  { databaseUrl, encryptionKeys }: Vault,
  line: string,
  secret = '',
  allowedHosts = '127.0.0.1',
): Promise<string> {
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: encryptionKeys,
    BYOK_ALLOWED_HOSTS: allowedHosts,
    BROUGHT: secret,
  }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, ...line.split(' ')], { env })
  return stdout + stderr
}

export interface BroughtKey {
  readonly provider: string
  readonly baseUrl: string
  readonly secret: string
}

/** Writes a key that the command would refuse directly into the database. */
export async function smuggleKey(
  { databaseUrl, encryptionKeys }: Vault,
  { workspaceId }: Pick<DemoWorkspace, 'workspaceId'>,
  { provider, baseUrl, secret }: BroughtKey,
): Promise<void> {
  const box = createSecretBox({ keys: parseNamedKeys(encryptionKeys), randomBytes })
  const sealed = box.seal(secret, providerKeyPlace({ workspaceId, provider }))
  const db = connectPrisma({ databaseUrl, max: 1 })
  const row = { id: randomUUID(), workspaceId, provider, baseUrl, display: 'xxxx', createdBy: null }
  await saveProviderKey(db, { ...row, ...sealed, at: new Date() })
  await db.$disconnect()
}

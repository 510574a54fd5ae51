import { environmentToolPlace } from '@ratchet/contracts/environment-tool-place'
import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import { voiceNumberPlace } from '@ratchet/contracts/voice/voice-number-place'
import { voiceToolPlace } from '@ratchet/contracts/voice/voice-tool-place'
import { webhookSecretPlace } from '@ratchet/contracts/webhook-secret'
import {
  countSecrets,
  readSecretsNotUnder,
  replaceSealed,
  type SealedRow,
  type SecretCount,
  type SecretTable,
  secretTables,
} from '@ratchet/db/sealed-secrets'
import { createSecretBox, type SecretBox, SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'
import { type Answer, formatTable } from '../answer.ts'
import type { AdminCommands, AdminDeps } from './admin-commands.ts'
import { encryptionKeysOf } from './secret-box-of.ts'

interface Options {
  readonly check?: boolean
}

export function resealSecrets({ admin, run }: AdminCommands): void {
  admin
    .command('reseal-secrets')
    .description(
      'Encrypt all stored secrets with the first key of ENCRYPTION_KEYS. Exit code 1 when one remains under another key.',
    )
    .option('--check', 'change nothing, only count the secrets of each key')
    .action((options: Options) => run((deps) => work(deps, options)))
}

const batchSize = 200
const kinds: Readonly<Record<SecretTable, string>> = {
  provider_key: 'provider keys',
  webhook: 'webhook secrets',
  environment_tool_secret: 'tool secrets',
  voice_tool_secret: 'secrets of voice tools',
  voice_number_secret: 'passwords of trunks',
}

/** Result for the secrets that were under another key. */
interface Tally {
  resealed: number
  /** Ids of secrets that no key decrypts. */
  readonly unreadable: string[]
}

async function work(deps: AdminDeps, { check = false }: Options): Promise<Answer> {
  const keys = await encryptionKeysOf(deps)
  const box = createSecretBox({ keys, randomBytes: deps.randomBytes })
  const [{ id: keyId }] = keys
  const tally: Tally = { resealed: 0, unreadable: [] }
  if (!check) for (const table of secretTables) await resealTable(deps, { table, keyId, box, tally })
  return describe({ keyId, tally, counts: await countSecrets(deps.pool) })
}

interface Table {
  readonly table: SecretTable
  /** Id of the key that encrypts. */
  readonly keyId: string
  readonly box: SecretBox
  readonly tally: Tally
}

/** Works in batches in order of ids. After an interruption, the next run continues with what is left. */
async function resealTable({ pool, stderr }: AdminDeps, { table, keyId, box, tally }: Table): Promise<void> {
  for (let after: string | null = null; ; ) {
    const rows: readonly SealedRow[] = await readSecretsNotUnder(pool, { table, keyId, after, limit: batchSize })
    for (const row of rows) {
      const sealed = sealAnew(box, table, row)
      if (sealed === null) tally.unreadable.push(row.id)
      else if (await replaceSealed(pool, { table, row, sealed })) tally.resealed += 1
    }
    after = rows.at(-1)?.id ?? after
    if (rows.length < batchSize) return
    stderr(`${kinds[table]}: ${tally.resealed} resealed so far\n`)
  }
}

function sealAnew(box: SecretBox, table: SecretTable, row: SealedRow): ReturnType<SecretBox['seal']> | null {
  const place = placeOf(table, row)
  try {
    return box.seal(box.open(row, place), place)
  } catch (error) {
    if (error instanceof SecretUnreadable) return null
    throw error
  }
}

function placeOf(table: SecretTable, { id, workspaceId, provider }: SealedRow): string[] {
  if (table === 'webhook') return webhookSecretPlace({ workspaceId, id })
  if (table === 'environment_tool_secret') return environmentToolPlace({ workspaceId, id })
  if (table === 'voice_tool_secret') return voiceToolPlace({ workspaceId, id })
  if (table === 'voice_number_secret') return voiceNumberPlace({ workspaceId, id })
  return providerKeyPlace({ workspaceId, provider: provider ?? '' })
}

interface Outcome {
  readonly keyId: string
  readonly tally: Tally
  readonly counts: readonly SecretCount[]
}

function describe({ keyId, tally, counts }: Outcome): Answer {
  const left = counts.filter((each) => each.keyId !== keyId).reduce((sum, { count }) => sum + count, 0)
  const rows = counts.map((each) => [kinds[each.table], each.keyId, String(each.count)])
  const lines = [
    `${tally.resealed} resealed`,
    ...(tally.unreadable.length === 0 ? [] : [`no key decrypts ${tally.unreadable.join(', ')}: set them again`]),
    left === 0
      ? `all secrets are under ${keyId}: other keys can be removed`
      : `${left} are not under ${keyId}: do not remove their keys`,
  ]
  return {
    json: { key_id: keyId, resealed: tally.resealed, unreadable: tally.unreadable, left, secrets: counts },
    text: [formatTable([['SECRETS', 'KEY', 'COUNT'], ...rows]), '', ...lines].join('\n'),
    ...(left === 0 ? {} : { exitCode: 1 as const }),
  }
}

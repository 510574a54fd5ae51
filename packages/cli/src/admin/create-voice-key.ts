import { keyDisplayLength } from '@ratchet/contracts/api-key'
import { mintVoiceKey } from '@ratchet/contracts/voice/voice-key'
import { findRole, saveApiKey } from '@ratchet/db/operator'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseDays, parseEmail, parseSlug, parseText, parseVoiceEnvironment } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, newRow, userOf, workspaceOf } from './admin-commands.ts'
import { recordingOperator } from './record-operator.ts'

interface Options {
  readonly workspace: string
  readonly email: string
  readonly name: string
  readonly env: 'live' | 'test'
  readonly expiresInDays?: number
}

export function createVoiceKey({ admin, run }: AdminCommands): void {
  admin
    .command('create-voice-key')
    .description('Create a key of the voice interface with the role of its user. It is printed once and not stored.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .requiredOption('--email <email>', 'the member', parseEmail)
    .option('--name <name>', 'a name for it', parseText, 'ratchet admin')
    .option('--env <env>', 'live, or test: calls of a test key reach nobody', parseVoiceEnvironment, 'live')
    .option('--expires-in-days <days>', 'when it stops to work; absent: never', parseDays)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug, email, name, env, expiresInDays }: Options): Promise<Answer> {
  const workspace = await workspaceOf(deps, slug)
  const user = await userOf(deps, email)
  const member = { workspaceId: workspace.id, userId: user.id }
  if ((await findRole(deps.db, member)) === null) {
    throw new CliError(`--email: ${email} is not a member of ${slug}; \`ratchet admin add-member\` adds them`)
  }
  const key = mintVoiceKey(env, deps.randomBytes)
  const row = newRow(deps)
  const hashed = { hash: hashApiKey(key), display: key.slice(0, keyDisplayLength) }
  const expiresAt = expiresInDays === undefined ? null : new Date(row.at.getTime() + expiresInDays * dayMs)
  const expiry = expiresAt === null ? {} : { expiresAt }
  await recordingOperator(deps, {
    workspaceId: workspace.id,
    action: 'key.created',
    subject: row.id,
    make: () => saveApiKey(deps.db, { ...row, ...member, ...hashed, ...expiry, name, surface: 'voice', env }),
    madeOf: () => ({ name, display: hashed.display, user_id: user.id, surface: 'voice', env }),
  })
  return {
    json: { id: row.id, key, name, workspace: slug, email, env, expires_at: expiresAt?.toISOString() ?? null },
    text: key,
    note: `Key ${row.id} of ${email} in ${slug}. It is not stored and is not shown again.`,
  }
}

import { keyDisplayLength, mintApiKey } from '@ratchet/contracts/api-key'
import { findRole, saveApiKey } from '@ratchet/db/operator'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import {
  type Expiry,
  expiryOf,
  keyPrefixOf,
  parseEmail,
  parseExpiry,
  parseGlobs,
  parseSlug,
  parseText,
} from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, newRow, userOf, workspaceOf } from './admin-commands.ts'
import { recordingOperator } from './record-operator.ts'

interface Options {
  readonly workspace: string
  readonly email: string
  readonly name: string
  readonly expires?: Expiry
  readonly models?: readonly string[]
}

export function createKey({ admin, run }: AdminCommands): void {
  admin
    .command('create-key')
    .description('Create an API key with the role of its user. It is printed once and not stored.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .requiredOption('--email <email>', 'the member', parseEmail)
    .option('--name <name>', 'a name for it', parseText, 'ratchet admin')
    .option('--expires <days>', 'days from now until it is refused; default: never', parseExpiry)
    .option(
      '--models <globs>',
      'models and aliases that it may call, such as openai/*,support; default: all',
      parseGlobs,
    )
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug, email, name, expires, models = [] }: Options): Promise<Answer> {
  const prefix = keyPrefixOf(deps.env)
  const workspace = await workspaceOf(deps, slug)
  const user = await userOf(deps, email)
  const member = { workspaceId: workspace.id, userId: user.id }
  if ((await findRole(deps.db, member)) === null) {
    throw new CliError(`--email: ${email} is not a member of ${slug}; \`ratchet admin add-member\` adds them`)
  }
  const key = mintApiKey(prefix, deps.randomBytes)
  const row = newRow(deps)
  const expiresAt = expires === undefined ? null : expiryOf(expires, row.at)
  const display = key.slice(0, keyDisplayLength)
  const saved = { ...row, ...member, name, hash: hashApiKey(key), display, allowedModels: models }
  await recordingOperator(deps, {
    workspaceId: workspace.id,
    action: 'key.created',
    subject: row.id,
    make: () => saveApiKey(deps.db, { ...saved, ...(expiresAt === null ? {} : { expiresAt }) }),
    madeOf: () => ({ name, display, user_id: user.id, models, expires_at: expiresAt?.toISOString() ?? null }),
  })
  return {
    json: { id: row.id, key, name, workspace: slug, email, expires_at: expiresAt?.toISOString() ?? null, models },
    text: key,
    note: `Key ${row.id} of ${email} in ${slug}. It is not stored and is not shown again.`,
  }
}

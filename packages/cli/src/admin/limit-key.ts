import { changeKeys } from '@ratchet/db/change-keys'
import { findApiKey } from '@ratchet/db/operator'
import { changeKeyRules, type KeyRules } from '@ratchet/db/workspace-settings'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { type Expiry, expiryOf, type Limit, parseExpiry, parseGlobs, parseId, parseLimit } from '../parse-options.ts'
import type { AdminCommands, AdminDeps } from './admin-commands.ts'
import { recordingOperator } from './record-operator.ts'

interface Options {
  readonly rpm?: Limit
  readonly tpm?: Limit
  readonly expires?: Expiry
  readonly models?: readonly string[]
}

export function limitKey({ admin, run }: AdminCommands): void {
  admin
    .command('limit')
    .description('Set what one API key may do: its limits, besides those of its workspace, its expiry, and its models.')
    .argument('<id>', 'its id, as create-key and list-keys print it', parseId)
    .option('--rpm <count>', 'requests per minute, or none', parseLimit)
    .option('--tpm <count>', 'tokens per minute, or none', parseLimit)
    .option('--expires <days>', 'days from now until it is refused, or none', parseExpiry)
    .option('--models <globs>', 'models and aliases that it may call, such as openai/*,support, or all', parseGlobs)
    .action((id: string, options: Options) => run((deps) => work(deps, id, options)))
}

async function work(deps: AdminDeps, id: string, options: Options): Promise<Answer> {
  const { db, now } = deps
  const changes = changesOf(options, now())
  if (Object.keys(changes).length === 0) {
    throw new CliError('nothing to change: give --rpm, --tpm, --expires or --models', { exitCode: 2 })
  }
  const save = () => changeKeyRules(db, { id, changes })
  const found = await findApiKey(db, id)
  if (found === null) throw new CliError(`<id>: there is no key ${id}`)
  const key = await recordingOperator(deps, {
    workspaceId: found.workspaceId,
    action: 'key.changed',
    subject: id,
    make: () => (changes.expiresAt === undefined ? save() : changeKeys(db, save)),
    madeOf: () => changes,
  })
  if (key === null) throw new CliError(`<id>: there is no key ${id}`)
  const { display, requestsPerMinute, tokensPerMinute, allowedModels } = key
  const [requests, tokens] = [requestsPerMinute ?? 'no limit of', tokensPerMinute ?? 'no limit of']
  const expiresAt = key.expiresAt?.toISOString() ?? null
  const models = allowedModels.length === 0 ? 'all models' : allowedModels.join(', ')
  const end = expiresAt === null ? 'does not expire' : `expires at ${expiresAt}`
  return {
    json: {
      id,
      display,
      requests_per_minute: requestsPerMinute,
      tokens_per_minute: tokensPerMinute,
      expires_at: expiresAt,
      allowed_models: allowedModels,
    },
    text: `${display}… has ${requests} requests and ${tokens} tokens per minute, may call ${models}, and ${end}`,
  }
}

function changesOf({ rpm, tpm, expires, models }: Options, now: Date): Partial<KeyRules> {
  return {
    ...(rpm === undefined ? {} : { requestsPerMinute: rpm.perMinute }),
    ...(tpm === undefined ? {} : { tokensPerMinute: tpm.perMinute }),
    ...(expires === undefined ? {} : { expiresAt: expiryOf(expires, now) }),
    ...(models === undefined ? {} : { allowedModels: models }),
  }
}

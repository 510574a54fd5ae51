import { isWellFormedApiKey } from '@ratchet/contracts/api-key'
import { providerKeyDisplayLength, providerKeyPlace } from '@ratchet/contracts/provider-key'
import { saveProviderKey } from '@ratchet/db/provider-keys'
import { checkBaseUrl } from '@ratchet/http/check-base-url'
import { parseHostList } from '@ratchet/http/host-list'
import type { Command } from 'commander'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { envValue } from '../cli-io.ts'
import { keyPrefixOf, parseProvider, parseSlug, parseVariable } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, newRow, workspaceOf } from './admin-commands.ts'
import { recordingOperator } from './record-operator.ts'
import { secretBoxOf } from './secret-box-of.ts'

interface Options {
  readonly workspace: string
  readonly provider: string
  readonly baseUrl?: string
  readonly fromEnv?: string
}

export function setProviderKey({ admin, run }: AdminCommands): void {
  admin
    .command('set')
    .description('Store a provider key of a workspace. It is read from standard input or a variable.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .requiredOption('--provider <id>', 'a provider of the model catalog, such as openai', parseProvider)
    .option('--base-url <url>', 'base URL instead of the provider’s own')
    .option('--from-env <name>', 'read the key from this environment variable', parseVariable)
    // Commander's own message would repeat the argument, which may be the key.
    .allowExcessArguments()
    .allowUnknownOption()
    .action((options: Options, { args }: Command) => {
      if (args.length === 0) return run((deps) => work(deps, options))
      throw new CliError(
        'too many arguments: the key is read from standard input or --from-env, never from the command line',
        {
          exitCode: 2,
        },
      )
    })
}

async function work(deps: AdminDeps, options: Options): Promise<Answer> {
  const { provider } = options
  const baseUrl = checkedBaseUrl(deps, options.baseUrl)
  const box = await secretBoxOf(deps)
  const { id: workspaceId, slug } = await workspaceOf(deps, options.workspace)
  const secret = await readSecret(deps, options.fromEnv)
  const sealed = box.seal(secret, providerKeyPlace({ workspaceId, provider }))
  const display = secret.slice(-providerKeyDisplayLength)
  const saved = { ...newRow(deps), workspaceId, provider, ...sealed, baseUrl, display, createdBy: null }
  const row = await recordingOperator(deps, {
    workspaceId,
    action: 'provider_key.saved',
    subject: provider,
    make: () => saveProviderKey(deps.db, saved),
    madeOf: () => ({ display, base_url: baseUrl }),
  })
  const custom = baseUrl === null ? {} : { note: whereCustomHostsAreUsed }
  return {
    json: { id: row.id, workspace: slug, provider, display: row.display, base_url: baseUrl },
    text: `${slug} calls ${provider} with its own key …${row.display}`,
    ...custom,
  }
}

const whereCustomHostsAreUsed =
  'Inference uses a base URL only with BYOK_CUSTOM_HOSTS=on, or when its host is in BYOK_ALLOWED_HOSTS.'

/** Reads the secret from a variable or from standard input. No message repeats it. */
async function readSecret(deps: AdminDeps, variable: string | undefined): Promise<string> {
  const source = variable === undefined ? 'standard input' : `--from-env: ${variable}`
  const text = variable === undefined ? await deps.stdin() : envValue(deps.env, variable)
  if (text === null || text === undefined) {
    const hint = 'no key given: pipe it to standard input, or name its variable with --from-env'
    throw new CliError(variable === undefined ? hint : `${source} is not set`, { exitCode: 2 })
  }
  const secret = onOneLine(text.trim())
  if (!/^[\x21-\x7e]{16,8192}$/.test(secret)) {
    throw new CliError(`${source} does not contain a key: expected 16 to 8192 visible characters without spaces`, {
      exitCode: 2,
    })
  }
  if (isWellFormedApiKey(keyPrefixOf(deps.env), secret)) {
    throw new CliError(`${source} contains a key of this service, not of a provider`, { exitCode: 2 })
  }
  return secret
}

/** Keys of some providers are JSON, often on several lines. */
function onOneLine(text: string): string {
  if (!text.startsWith('{')) return text
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

/** Normalizes the URL. Inference decides whether it may call the host, because it has the operator's rules. */
function checkedBaseUrl({ env }: AdminDeps, text: string | undefined): string | null {
  if (text === undefined) return null
  const checked = checkBaseUrl(text, { customHosts: true, allowedHosts: allowedHostsOf(env) })
  if (checked.kind === 'ok') return checked.origin + checked.basePath
  throw new CliError(`--base-url: ${checked.reason}`, { exitCode: 2 })
}

function allowedHostsOf(env: AdminDeps['env']): ReadonlySet<string> {
  try {
    return parseHostList(envValue(env, 'BYOK_ALLOWED_HOSTS') ?? '')
  } catch (cause) {
    throw new CliError(`BYOK_ALLOWED_HOSTS: ${(cause as Error).message}`, { exitCode: 2, cause })
  }
}

import { removeProviderKey as deleteProviderKey } from '@ratchet/db/provider-keys'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseProvider, parseSlug } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, workspaceOf } from './admin-commands.ts'
import { recordingOperator } from './record-operator.ts'

interface Options {
  readonly workspace: string
  readonly provider: string
}

export function removeProviderKey({ admin, run }: AdminCommands): void {
  admin
    .command('remove')
    .description('Delete the provider key of a workspace; the key of the deployment is used again.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .requiredOption('--provider <id>', 'for which provider', parseProvider)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug, provider }: Options): Promise<Answer> {
  const { id: workspaceId } = await workspaceOf(deps, slug)
  const wasThere = await recordingOperator(deps, {
    workspaceId,
    action: 'provider_key.removed',
    subject: provider,
    make: () => deleteProviderKey(deps.db, { workspaceId, provider }),
    madeOf: (isRemoved) => (isRemoved ? {} : null),
  })
  if (!wasThere) throw new CliError(`--provider: ${slug} has no key for ${provider}`)
  return { json: { workspace: slug, provider, removed: true }, text: `removed the key of ${slug} for ${provider}` }
}

import { type ProviderKeyRow, listProviderKeys as readProviderKeys } from '@ratchet/db/provider-keys'
import { type Answer, formatTable } from '../answer.ts'
import { parseSlug } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, workspaceOf } from './admin-commands.ts'

interface Options {
  readonly workspace: string
}

export function listProviderKeys({ admin, run }: AdminCommands): void {
  admin
    .command('list')
    .description('List the provider keys of a workspace: providers and last characters of the keys.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug }: Options): Promise<Answer> {
  const workspace = await workspaceOf(deps, slug)
  const keys = await readProviderKeys(deps.db, workspace.id)
  const heading = ['PROVIDER', 'KEY', 'BASE URL', 'SET']
  return {
    json: { object: 'list', data: keys.map(toJson) },
    text: keys.length === 0 ? `${slug} has no provider keys` : formatTable([heading, ...keys.map(toCells)]),
  }
}

function toJson({ id, provider, display, baseUrl, createdAt, updatedAt }: ProviderKeyRow): Record<string, unknown> {
  return {
    id,
    provider,
    display,
    base_url: baseUrl,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }
}

function toCells({ provider, display, baseUrl, updatedAt }: ProviderKeyRow): string[] {
  return [provider, `…${display}`, baseUrl ?? '-', updatedAt.toISOString()]
}

import { type ApiKeyRow, listApiKeys } from '@ratchet/db/operator'
import { type Answer, formatTable } from '../answer.ts'
import { parseSlug } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, workspaceOf } from './admin-commands.ts'

interface Options {
  readonly workspace: string
}

export function listKeys({ admin, run }: AdminCommands): void {
  admin
    .command('list-keys')
    .description('List the API keys of a workspace, newest first, including revoked ones.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug }: Options): Promise<Answer> {
  const workspace = await workspaceOf(deps, slug)
  const keys = await listApiKeys(deps.db, workspace.id)
  const heading = ['ID', 'KEY', 'USER', 'NAME', 'CREATED', 'LAST USED', 'REVOKED']
  return {
    json: { object: 'list', data: keys.map(toJson) },
    text: keys.length === 0 ? `${slug} has no keys` : formatTable([heading, ...keys.map(toCells)]),
  }
}

function toJson({ id, display, user, name, createdAt, lastUsedAt, revokedAt }: ApiKeyRow): Record<string, unknown> {
  return {
    id,
    display,
    email: user.email,
    name,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
  }
}

function toCells({ id, display, user, name, createdAt, lastUsedAt, revokedAt }: ApiKeyRow): string[] {
  const times = [createdAt, lastUsedAt, revokedAt].map((at) => at?.toISOString() ?? '-')
  return [id, `${display}…`, user.email, name, ...times]
}

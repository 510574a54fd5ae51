import { Role } from '@ratchet/contracts/identity'
import { setRole } from '@ratchet/db/operator'
import { Option } from 'commander'
import type { Answer } from '../answer.ts'
import { parseEmail, parseSlug } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, userOf, workspaceOf } from './admin-commands.ts'

interface Options {
  readonly workspace: string
  readonly email: string
  readonly role: Role
}

export function addMember({ admin, run }: AdminCommands): void {
  admin
    .command('add-member')
    .description('Give a user a role in a workspace, or change it; their keys follow at once.')
    .requiredOption('--workspace <slug>', 'in which workspace', parseSlug)
    .requiredOption('--email <email>', 'whom', parseEmail)
    .addOption(new Option('--role <role>', 'as what').choices(Role.options).makeOptionMandatory())
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug, email, role }: Options): Promise<Answer> {
  const workspace = await workspaceOf(deps, slug)
  const user = await userOf(deps, email)
  await setRole(deps.db, { workspaceId: workspace.id, userId: user.id, role, at: deps.now() })
  return { json: { workspace: slug, email, role }, text: `${email} is ${role} of ${slug}` }
}

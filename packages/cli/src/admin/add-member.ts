import { Role } from '@ratchet/contracts/identity'
import { findOwners, setRole } from '@ratchet/db/operator'
import { Option } from 'commander'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseEmail, parseSlug } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, userOf, workspaceOf } from './admin-commands.ts'
import { recordingOperator } from './record-operator.ts'

interface Options {
  readonly workspace: string
  readonly email: string
  readonly role: Role
  readonly force?: true
}

export function addMember({ admin, run }: AdminCommands): void {
  admin
    .command('add-member')
    .description('Give a user a role in a workspace, or change it. Their API keys have it immediately.')
    .requiredOption('--workspace <slug>', 'the workspace', parseSlug)
    .requiredOption('--email <email>', 'whom', parseEmail)
    .addOption(new Option('--role <role>', 'as what').choices(Role.options).makeOptionMandatory())
    .option('--force', 'also if the workspace then has no owner')
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug, email, role, force }: Options): Promise<Answer> {
  const workspace = await workspaceOf(deps, slug)
  const user = await userOf(deps, email)
  if (role !== 'owner' && force !== true && (await isOnlyOwner(deps, workspace.id, user.id))) {
    throw new CliError(
      `--role: ${email} is the only owner of ${slug}; give another user the role owner first, or add --force`,
    )
  }
  await recordingOperator(deps, {
    workspaceId: workspace.id,
    action: 'member.changed',
    subject: user.id,
    make: () => setRole(deps.db, { workspaceId: workspace.id, userId: user.id, role, at: deps.now() }),
    madeOf: () => ({ role }),
  })
  return { json: { workspace: slug, email, role }, text: `${email} is ${role} of ${slug}` }
}

async function isOnlyOwner({ db }: AdminDeps, workspaceId: string, userId: string): Promise<boolean> {
  const owners = await findOwners(db, { workspaceId, atMost: 2 })
  return owners.length === 1 && owners[0]?.userId === userId
}

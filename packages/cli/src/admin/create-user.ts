import { createUser as saveUser } from '@ratchet/db/operator'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseEmail, parseText } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, newRow } from './admin-commands.ts'

interface Options {
  readonly email: string
  readonly name: string
}

export function createUser({ admin, run }: AdminCommands): void {
  admin
    .command('create-user')
    .description('Create a user.')
    .requiredOption('--email <email>', 'their e-mail address', parseEmail)
    .requiredOption('--name <name>', 'their name', parseText)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { email, name }: Options): Promise<Answer> {
  const row = newRow(deps)
  const { id } = await saveUser(deps.db, { ...row, email, name })
  if (id !== row.id) throw new CliError(`--email: the user ${email} already exists`)
  return { json: { id, email, name }, text: `created user ${email}` }
}

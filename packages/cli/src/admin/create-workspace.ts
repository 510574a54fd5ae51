import { formatUsd, nanoToUsd } from '@ratchet/contracts/money'
import { createUser, createWorkspace as saveWorkspace, setRole } from '@ratchet/db/operator'
import { topUp } from '@ratchet/db/top-up'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseAmount, parseEmail, parseSlug, parseText } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, newRow } from './admin-commands.ts'

interface Options {
  readonly slug: string
  readonly name: string
  readonly ownerEmail?: string
  readonly creditUsd?: bigint
}

export function createWorkspace({ admin, run }: AdminCommands): void {
  admin
    .command('create-workspace')
    .description('Create a workspace, optionally with an owner and credit.')
    .requiredOption('--slug <slug>', 'short name for commands and URLs', parseSlug)
    .requiredOption('--name <name>', 'display name', parseText)
    .option('--owner-email <email>', 'its owner; the user is created if necessary', parseEmail)
    .option('--credit-usd <amount>', 'initial credit, US dollars', parseAmount)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { slug, name, ownerEmail, creditUsd }: Options): Promise<Answer> {
  const row = newRow(deps)
  const { id } = await saveWorkspace(deps.db, { ...row, slug, name })
  if (id !== row.id) throw new CliError(`--slug: the workspace ${slug} already exists`)
  if (ownerEmail !== undefined) await addOwner(deps, id, ownerEmail)
  if (creditUsd !== undefined) {
    await topUp(deps.pool, { workspaceId: id, amountNano: creditUsd, reference: `initial-credit-${id}` })
  }
  const owner = ownerEmail === undefined ? '' : `, owned by ${ownerEmail}`
  const credit = creditUsd === undefined ? '' : `, with ${formatUsd(creditUsd)} USD`
  return {
    json: { id, slug, name, owner_email: ownerEmail ?? null, balance_usd: nanoToUsd(creditUsd ?? 0n) },
    text: `created workspace ${slug}${owner}${credit}`,
  }
}

async function addOwner(deps: AdminDeps, workspaceId: string, email: string): Promise<void> {
  const row = newRow(deps)
  const { id: userId } = await createUser(deps.db, { ...row, email, name: email.replace(/@.*/, '') })
  await setRole(deps.db, { workspaceId, userId, role: 'owner', at: row.at })
}

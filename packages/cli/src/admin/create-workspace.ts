import { formatUsd, nanoToUsd } from '@ratchet/contracts/money'
import {
  countProcessesWithout,
  creditWorkspace,
  type LedgerDatabase,
  registerWorkspace,
} from '@ratchet/db/credit-workspace'
import { mainLedger } from '@ratchet/db/ledger-urls'
import { createUser, findWorkspace, createWorkspace as saveWorkspace, setRole } from '@ratchet/db/operator'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseAmount, parseEmail, parseSlug, parseText } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, newRow } from './admin-commands.ts'
import { recordingOperator } from './record-operator.ts'

interface Options {
  readonly slug: string
  readonly name: string
  readonly ownerEmail?: string
  readonly creditUsd?: bigint
  readonly ledger: string
}

export function createWorkspace({ admin, run }: AdminCommands): void {
  admin
    .command('create-workspace')
    .description('Create a workspace, optionally with an owner and credit.')
    .requiredOption('--slug <slug>', 'short name for commands and URLs', parseSlug)
    .requiredOption('--name <name>', 'display name', parseText)
    .option('--owner-email <email>', 'its owner; the user is created if necessary', parseEmail)
    .option('--credit-usd <amount>', 'initial credit, US dollars', parseAmount)
    .option('--ledger <name>', 'whose database has its wallet, one of LEDGER_DATABASE_URLS; it stays there', mainLedger)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { slug, name, ownerEmail, creditUsd, ...options }: Options): Promise<Answer> {
  const row = newRow(deps)
  if ((await findWorkspace(deps.db, slug)) !== null) throw taken(slug)
  const ledger = await chooseLedger(deps, options.ledger)
  const { id } = row
  const make = async () => {
    // before the workspace exists, so that no request finds a ledger that does not know it
    await registerWorkspace(ledger, id)
    const saved = await saveWorkspace(deps.db, { ...row, slug, name, ledger: ledger.name })
    if (saved.id !== id) throw taken(slug)
    const owner = ownerEmail === undefined ? null : await addOwner(deps, id, ownerEmail)
    if (creditUsd !== undefined) {
      const reference = `initial-credit-${id}`
      await creditWorkspace(deps.pool, ledger, { workspaceId: id, amountNano: creditUsd, reference })
    }
    return owner
  }
  await recordingOperator(deps, {
    workspaceId: id,
    action: 'workspace.created',
    subject: id,
    make,
    madeOf: (owner) => ({ slug, name, owner, credit_usd: nanoToUsd(creditUsd ?? 0n) }),
  })
  const owner = ownerEmail === undefined ? '' : `, owned by ${ownerEmail}`
  const credit = creditUsd === undefined ? '' : `, with ${formatUsd(creditUsd)} USD`
  return {
    json: { id, slug, name, owner_email: ownerEmail ?? null, balance_usd: nanoToUsd(creditUsd ?? 0n) },
    text: `created workspace ${slug}${owner}${credit}`,
  }
}

function taken(slug: string): CliError {
  return new CliError(`--slug: the workspace ${slug} already exists`)
}

/** @throws CliError for a ledger that a running inference process does not use */
async function chooseLedger(deps: AdminDeps, name: string): Promise<LedgerDatabase> {
  const ledger = await deps.openLedger(name)
  const without = name === mainLedger ? 0 : await countProcessesWithout(deps.pool, ledger)
  if (without === 0) return ledger
  throw new CliError(
    `--ledger: ${without} running inference ${without === 1 ? 'process does' : 'processes do'} not use the ledger ${name}; set their LEDGER_DATABASE_URLS and restart them first`,
  )
}

async function addOwner(deps: AdminDeps, workspaceId: string, email: string): Promise<string> {
  const row = newRow(deps)
  const { id: userId } = await createUser(deps.db, { ...row, email, name: email.replace(/@.*/, '') })
  await setRole(deps.db, { workspaceId, userId, role: 'owner', at: row.at })
  return userId
}

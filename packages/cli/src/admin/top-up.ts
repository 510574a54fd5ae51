import { formatUsd, nanoToUsd } from '@ratchet/contracts/money'
import { creditWorkspace } from '@ratchet/db/credit-workspace'
import { ReferenceTaken } from '@ratchet/db/top-up'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseAmount, parseSlug, parseText } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, workspaceOf } from './admin-commands.ts'
import { recordingOperator } from './record-operator.ts'

interface Options {
  readonly workspace: string
  readonly usd: bigint
  readonly reference: string
  readonly reason?: string
}

export function topUp({ admin, run }: AdminCommands): void {
  admin
    .command('top-up')
    .description('Credit a wallet. A repeated reference is credited only once.')
    .requiredOption('--workspace <slug>', 'whose wallet', parseSlug)
    .requiredOption('--usd <amount>', 'US dollars, such as 25.00', parseAmount)
    .requiredOption('--reference <text>', 'id of the payment, such as inv-17', parseText)
    .option('--reason <text>', 'reason, for the ledger', parseText)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug, usd, reference, reason }: Options): Promise<Answer> {
  const workspace = await workspaceOf(deps, slug)
  const ledger = await deps.openLedger(workspace.ledger)
  const why = reason === undefined ? {} : { reason }
  const credit = { workspaceId: workspace.id, amountNano: usd, reference, ...why }
  const toppedUp = await recordingOperator(deps, {
    workspaceId: workspace.id,
    action: 'wallet.credit_requested',
    subject: reference,
    make: () =>
      creditWorkspace(deps.pool, ledger, credit).catch((cause: unknown) => {
        if (cause instanceof ReferenceTaken) return null
        throw cause
      }),
    madeOf: (made) => (made?.credited === true ? { amount_usd: nanoToUsd(usd) } : null),
  })
  if (toppedUp === null) throw new CliError(`--reference: ${reference} was used for another workspace or amount`)
  const { balanceNano, credited } = toppedUp
  const balance = `the balance is ${formatUsd(balanceNano)} USD`
  return {
    json: { workspace: slug, reference, amount_usd: nanoToUsd(usd), credited, balance_usd: nanoToUsd(balanceNano) },
    text: credited
      ? `credited ${formatUsd(usd)} USD to ${slug}; ${balance}`
      : `${reference} was already credited; ${balance}`,
  }
}

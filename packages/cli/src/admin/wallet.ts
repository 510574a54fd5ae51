import { formatUsd, nanoToUsd } from '@ratchet/contracts/money'
import { type OpenHold, readWallet, type WalletView } from '@ratchet/db/wallet-view'
import { type Answer, formatTable } from '../answer.ts'
import { parseSlug } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, workspaceOf } from './admin-commands.ts'

interface Options {
  readonly workspace: string
}

export function wallet({ admin, run }: AdminCommands): void {
  admin
    .command('wallet')
    .description('Show the balance of a workspace, and which running requests hold how much of it.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug }: Options): Promise<Answer> {
  const { id, ledger } = await workspaceOf(deps, slug)
  const { pool } = await deps.openLedger(ledger)
  const view = await readWallet(pool, id)
  return {
    json: {
      workspace: slug,
      balance_usd: nanoToUsd(view.balanceNano),
      held_usd: nanoToUsd(view.heldNano),
      in_blocks_usd: nanoToUsd(view.inBlocksNano),
      open_count: view.openCount,
      open_holds: view.openHolds.map(toJson),
    },
    text: describe(view),
  }
}

function describe({ balanceNano, heldNano, inBlocksNano, openCount, openHolds }: WalletView): string {
  const inRequests = `${formatUsd(heldNano - inBlocksNano)} USD in ${openCount} running ${openCount === 1 ? 'request' : 'requests'}`
  const inBlocks =
    inBlocksNano === 0n ? [] : [`         ${formatUsd(inBlocksNano)} USD in blocks of inference processes`]
  const sums = [`balance  ${formatUsd(balanceNano)} USD`, `held     ${inRequests}`, ...inBlocks]
  if (openHolds.length === 0) return sums.join('\n')
  const heading = ['BILLING ID', 'HELD USD', 'MODEL', 'SINCE']
  const rest = openCount > openHolds.length ? [`… and ${openCount - openHolds.length} more`] : []
  return [...sums, '', formatTable([heading, ...openHolds.map(toCells)]), ...rest].join('\n')
}

function toJson({ billingId, holdNano, model, openedAt }: OpenHold): Record<string, unknown> {
  return { billing_id: billingId, hold_usd: nanoToUsd(holdNano), model, opened_at: openedAt.toISOString() }
}

function toCells({ billingId, holdNano, model, openedAt }: OpenHold): string[] {
  return [billingId, formatUsd(holdNano), model, openedAt.toISOString()]
}

import { type HoldOutcome, type Ledger, LedgerUnavailable } from './ledger.ts'
import type { WorkspaceLedgers } from './workspace-ledgers.ts'

export interface OwnWorkspaces {
  /** The ledger's name. */
  readonly name: string
  /** What the ledger's own database states. */
  readonly workspaces: WorkspaceLedgers
}

/**
 * A ledger that refuses only its own workspaces. In another ledger's database, or in one that lost its data, a workspace has
 * no wallet, which looks like no credit. That is a failure of the installation, and not of the client.
 */
export function checkRefusals<Part extends Pick<Ledger, 'hold'>>(ledger: Part, own: OwnWorkspaces): Part {
  const check = async (workspaceId: string): Promise<HoldOutcome> => {
    await checkOwn(own, workspaceId)
    return 'refused'
  }
  return {
    ...ledger,
    hold: (hold) => ledger.hold(hold).then((outcome) => (outcome === 'refused' ? check(hold.workspaceId) : outcome)),
  }
}

/** @throws LedgerUnavailable for a workspace of another ledger, and when the database does not answer */
export async function checkOwn({ name, workspaces }: OwnWorkspaces, workspaceId: string): Promise<void> {
  const ledger = await workspaces.of(workspaceId)
  if (ledger === name) return
  throw new LedgerUnavailable(`workspace ${workspaceId} belongs to the ledger ${ledger}, not to ${name}`, {
    uncertain: false,
  })
}

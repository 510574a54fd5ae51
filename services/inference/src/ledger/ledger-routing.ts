import { type Checkpoint, type Hold, type HoldOutcome, type Ledger, LedgerUnavailable } from './ledger.ts'
import type { WorkspaceLedgers } from './workspace-ledgers.ts'

/** The methods that routing calls on every kind of ledger. */
type Routed = Pick<Ledger, 'hold' | 'checkpoint'>

export interface LedgerRoutingOptions<Part extends Routed> {
  readonly ledgers: ReadonlyMap<string, Part>
  readonly workspaces: WorkspaceLedgers
}

interface Named {
  readonly billingId: string
  readonly workspaceId: string
}

/**
 * Sends everything of a request to the ledger of its workspace. A request ends in the ledger that holds for it. The process
 * remembers which one that is, so a charge depends on no other database.
 */
export function createLedgerRouting<Part extends Routed>({ ledgers, workspaces }: LedgerRoutingOptions<Part>) {
  /** Requests that this process holds for, by billing id. */
  const running = new Map<string, Part>()

  function named(name: string): Part {
    const ledger = ledgers.get(name)
    if (ledger !== undefined) return ledger
    throw new LedgerUnavailable(`this process has no database of the ledger ${name}`, { uncertain: false })
  }

  async function of(workspaceId: string): Promise<Part> {
    return named(await workspaces.of(workspaceId))
  }

  return {
    /** @throws LedgerUnavailable when the ledger of the workspace cannot be found */
    of,
    /** The ledger that holds for a request of this process. */
    running: (billingId: string) => running.get(billingId),
    async hold(hold: Hold): Promise<HoldOutcome> {
      const ledger = await of(hold.workspaceId)
      const outcome = await ledger.hold(hold)
      if (outcome === 'held') running.set(hold.billingId, ledger)
      return outcome
    },
    checkpoint(checkpoint: Checkpoint): void {
      const ledger = running.get(checkpoint.billingId)
      // a ledger ignores the checkpoint of a request that it does not hold for
      for (const each of ledger === undefined ? ledgers.values() : [ledger]) each.checkpoint(checkpoint)
    },
    /** Ends a request with `work`. @throws LedgerUnavailable as `of`, for a request that this process does not hold for */
    async close<T>({ billingId, workspaceId }: Named, work: (ledger: Part) => Promise<T>): Promise<T> {
      const ledger = running.get(billingId) ?? (await of(workspaceId))
      const closed = await work(ledger)
      running.delete(billingId)
      return closed
    },
  }
}

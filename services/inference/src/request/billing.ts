import type { Ledger } from '../ledger/ledger.ts'

/** The one end of a request's money. Whoever finishes first decides; everybody else gets the same outcome. */
export interface Billing {
  /** The most that can be charged, nano-dollars. */
  readonly holdNano: bigint
  /** Charges the real cost, at most the hold. Resolves with what the workspace pays, nano-dollars. */
  settle(costNano: bigint): Promise<bigint>
  /** Gives the hold back. */
  release(): Promise<bigint>
  /** Notes the cost so far, in case this process dies. Does nothing once finished. */
  checkpoint(costNano: bigint): void
}

export interface HeldRequest {
  readonly billingId: string
  readonly workspaceId: string
  readonly holdNano: bigint
  /** Hears what the workspace pays, once it is decided. */
  readonly onSettled?: (chargedNano: bigint) => void
}

export function createBilling(ledger: Ledger, held: HeldRequest): Billing {
  const { billingId, workspaceId, holdNano, onSettled } = held
  let finished: Promise<bigint> | undefined
  return {
    holdNano,
    settle(costNano) {
      finished ??= ledger.settle({ billingId, workspaceId, costNano }).then(({ chargedNano }) => {
        const paidNano = smaller(chargedNano, holdNano)
        onSettled?.(paidNano)
        return paidNano
      })
      return finished
    },
    release() {
      finished ??= ledger.release(billingId, workspaceId).then(() => 0n)
      return finished
    },
    checkpoint(costNano) {
      if (finished === undefined) ledger.checkpoint({ billingId, costNano })
    },
  }
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

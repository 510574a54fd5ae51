import { smaller } from '../ledger/charge.ts'
import type { ChargedTokens, Ledger, LogRow } from '../ledger/ledger.ts'

/**
 * Ends the hold of one request. The first call of `settle` or `release` decides; every later call gets the outcome of the
 * first.
 */
export interface Billing {
  /** Maximum that can be charged, nano-dollars. */
  readonly holdNano: bigint
  /**
   * Charges the real cost, at most the hold. Resolves with what the workspace pays, nano-dollars.
   *
   * @param tokens the tokens that it costs
   * @param logRow the row that the log will get; absent or null for none
   */
  settle(costNano: bigint, tokens: ChargedTokens, logRow?: LogRow | null): Promise<bigint>
  /** Returns the hold to the wallet without a charge. */
  release(): Promise<bigint>
  /** Records the cost so far, which is charged if this process dies. Has no effect after the end. */
  checkpoint(costNano: bigint): void
}

export interface Hold {
  readonly billingId: string
  readonly workspaceId: string
  readonly holdNano: bigint
  /** Is called once with what the workspace pays, nano-dollars. */
  readonly onSettled?: (chargedNano: bigint) => void
}

export function createBilling(ledger: Ledger, hold: Hold): Billing {
  const { billingId, workspaceId, holdNano, onSettled } = hold
  let finished: Promise<bigint> | undefined
  return {
    holdNano,
    settle(costNano, { promptTokens, completionTokens }, logRow = null) {
      const tokens = { promptTokens, completionTokens }
      finished ??= ledger.settle({ billingId, workspaceId, costNano, tokens, logRow }).then(({ chargedNano }) => {
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

import type { Ledger } from '../domain/ledger.ts'

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
  readonly requestId: string
  readonly workspaceId: string
  readonly holdNano: bigint
}

export function createBilling(ledger: Ledger, { requestId, workspaceId, holdNano }: HeldRequest): Billing {
  let finished: Promise<bigint> | undefined
  return {
    holdNano,
    settle(costNano) {
      finished ??= ledger
        .settle({ requestId, workspaceId, costNano })
        .then(({ chargedNano }) => (chargedNano < holdNano ? chargedNano : holdNano))
      return finished
    },
    release() {
      finished ??= ledger.release(requestId, workspaceId).then(() => 0n)
      return finished
    },
    checkpoint(costNano) {
      if (finished === undefined) ledger.checkpoint({ requestId, costNano })
    },
  }
}

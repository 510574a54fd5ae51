import { setTimeout as delay } from 'node:timers/promises'
import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import type { RecallStore, WalletLook } from './escrow-store.ts'
import { type Hold, type HoldOutcome, LedgerUnavailable } from './ledger.ts'

export interface ExactWalletsOptions {
  readonly store: RecallStore
  /** Gives back what this process holds of a wallet. Other processes hear of the recall from the database. */
  readonly giveBack?: (workspaceId: string) => void
  /** Milliseconds to wait for other processes. */
  readonly waitMs?: number
}

export type ExactWallets = ReturnType<typeof createExactWallets>

const lookEveryMs = 5

/**
 * Wallets without blocks. What blocks hold for nobody is not free in the wallet, so no answer that says "too little" may
 * be given before the blocks are booked.
 */
export function createExactWallets({ store, giveBack = () => undefined, waitMs = 250 }: ExactWalletsOptions) {
  const looks = createGroupCommit({
    overlapAfterMs: 20,
    async run(workspaceIds: readonly string[]) {
      const found = await store.look([...new Set(workspaceIds)])
      return workspaceIds.map((id) => found.get(id))
    },
  })

  /** Recalls the blocks of a wallet and waits for them. Resolves with the wallet, or null when blocks are left. */
  async function recall(workspaceId: string, untilMs: number): Promise<WalletLook | null> {
    giveBack(workspaceId)
    await store.recall(workspaceId)
    for (;;) {
      const wallet = await looks.add(workspaceId)
      if (wallet === undefined || wallet.blocks === 0) return wallet ?? { freeNano: 0n, blocks: 0 }
      if (performance.now() >= untilMs) return null
      await delay(lookEveryMs)
    }
  }

  return {
    /** Waits until no block of the wallet is left. False when some process did not give back its own in time. */
    async settle(workspaceId: string): Promise<boolean> {
      const untilMs = performance.now() + waitMs
      const wallet = await looks.add(workspaceId)
      return wallet === undefined || wallet.blocks === 0 || (await recall(workspaceId, untilMs)) !== null
    },
    /**
     * Takes a hold with `take`, and makes sure of a refusal: it counts only when no block of the wallet existed.
     *
     * @throws LedgerUnavailable when some process did not give back its blocks in time
     */
    async hold(hold: Hold, take: (hold: Hold) => Promise<HoldOutcome>): Promise<HoldOutcome> {
      const { workspaceId, amountNano } = hold
      const untilMs = performance.now() + waitMs
      let isWithoutBlocks = false
      for (;;) {
        const outcome = await take(hold)
        if (outcome !== 'refused') return outcome
        const seen = await looks.add(workspaceId)
        if (seen === undefined || (seen.blocks === 0 && (isWithoutBlocks || seen.freeNano < amountNano))) return outcome
        isWithoutBlocks = seen.blocks === 0 || (await recall(workspaceId, untilMs)) !== null
        if (isWithoutBlocks) continue
        throw new LedgerUnavailable(`blocks were not given back in ${waitMs} ms`, { uncertain: false })
      }
    },
    idle: () => looks.idle(),
  }
}

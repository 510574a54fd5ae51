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
/** Attempts of a hold that may be refused before the blocks are recalled, and before it fails. */
const attempts = { beforeRecall: 3, atMost: 6 }
const emptyWallet: WalletLook = { balanceNano: 0n, heldNano: 0n, blocks: 0 }

/**
 * Wallets without blocks. What blocks hold for nobody is not free in the wallet, so no answer that says "too little" may
 * be given before the blocks are booked.
 */
export function createExactWallets({ store, giveBack = () => undefined, waitMs = 250 }: ExactWalletsOptions) {
  const recalls = new Map<string, Promise<boolean>>()
  const looks = createGroupCommit({
    overlapAfterMs: 20,
    async run(workspaceIds: readonly string[]) {
      const found = await store.look([...new Set(workspaceIds)])
      return workspaceIds.map((id) => found.get(id) ?? emptyWallet)
    },
  })

  function notGivenBack(): LedgerUnavailable {
    return new LedgerUnavailable(`blocks were not given back in ${waitMs} ms`, { uncertain: false })
  }

  /** Recalls the blocks of a wallet and waits for them. Resolves with false when some are left. */
  async function recallOnce(workspaceId: string): Promise<boolean> {
    const untilMs = performance.now() + waitMs
    giveBack(workspaceId)
    await store.recall(workspaceId)
    while ((await looks.add(workspaceId)).blocks > 0) {
      if (performance.now() >= untilMs) return false
      await delay(lookEveryMs)
    }
    return true
  }

  /** Requests that are refused at the same time share one recall. */
  function recall(workspaceId: string): Promise<boolean> {
    const running = recalls.get(workspaceId)
    if (running !== undefined) return running
    const started = recallOnce(workspaceId).finally(() => recalls.delete(workspaceId))
    recalls.set(workspaceId, started)
    return started
  }

  return {
    /**
     * The wallet when it had no block.
     *
     * @throws LedgerUnavailable when some process did not give back its blocks in time
     */
    async settle(workspaceId: string): Promise<WalletLook> {
      const wallet = await looks.add(workspaceId)
      if (wallet.blocks === 0) return wallet
      if (!(await recall(workspaceId))) throw notGivenBack()
      const after = await looks.add(workspaceId) // what a shared recall saw may be older than this question
      if (after.blocks > 0) throw notGivenBack()
      return after
    },
    /**
     * Takes a hold with `take`, and makes sure of a refusal. It counts only when no block of the wallet existed, so after
     * a recall, or when the wallet has too little and no block. A block that is gone meanwhile may have been the reason.
     *
     * @throws LedgerUnavailable when some process did not give back its blocks in time
     */
    async hold(hold: Hold, take: (hold: Hold) => Promise<HoldOutcome>): Promise<HoldOutcome> {
      const { workspaceId, amountNano } = hold
      let isRecalled = false
      for (let attempt = 1; attempt <= attempts.atMost; attempt += 1) {
        const outcome = await take(hold)
        if (outcome !== 'refused') return outcome
        const { balanceNano, heldNano, blocks } = await looks.add(workspaceId)
        if (blocks === 0 && (isRecalled || balanceNano - heldNano < amountNano)) return outcome
        if (blocks === 0 && attempt < attempts.beforeRecall) continue
        isRecalled = await recall(workspaceId)
        if (!isRecalled) break
      }
      throw notGivenBack()
    },
    idle: () => looks.idle(),
  }
}

import { readWallet } from '@ratchet/contracts/internal-wallet'
import { mount } from '@ratchet/service-kit/mount'
import type { Router } from 'express'
import type { WalletReads } from './wallet-reads.ts'

export interface WalletRouteDeps {
  readonly wallets: WalletReads
}

/** What services read that spend for a workspace; the edge has no way to it. */
export function walletRoutes(router: Router, { wallets }: WalletRouteDeps): void {
  mount(router, readWallet, async ({ identity: { workspaceId } }) => {
    const { balanceNano, heldNano } = await wallets.read(workspaceId)
    return {
      balance_nano: String(balanceNano),
      held_nano: String(heldNano),
      available_nano: String(balanceNano - heldNano),
    }
  })
}

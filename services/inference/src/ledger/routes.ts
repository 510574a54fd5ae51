import { readWallet } from '@ratchet/contracts/internal-wallet'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { Wallets } from './sharded-wallets.ts'

export interface WalletRouteDeps {
  readonly wallets: Wallets
}

/** For services that spend money of a workspace. The edge does not forward to it. */
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

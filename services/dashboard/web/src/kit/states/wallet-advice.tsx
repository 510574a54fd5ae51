import { Anchor } from '@mantine/core'
import { readSessionWallet } from '@ratchet/contracts/billing'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { moneyText } from '../money.ts'

/** What there is to spend, for who may read it, after a request that the wallet does not cover. */
export function WalletAdvice(): ReactNode {
  const workspace = useWorkspace()
  const mayRead = reasonAgainst('owner_admin', workspace) === null
  const wallet = useEndpoint(readSessionWallet, {}, { topics: ['wallet'], enabled: mayRead }).data
  return (
    <>
      <p className="dimmed">
        {wallet && <>{moneyText(wallet.available_nano, { unit: 'nano', exact: true })} is available. </>}
        An owner can add money to the wallet of the workspace. What you typed stays here.
      </p>
      {mayRead && (
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/w/$slug/billing" params={{ slug: workspace.slug }} />}
        >
          Billing
        </Anchor>
      )}
    </>
  )
}

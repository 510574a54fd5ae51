import { Anchor } from '@mantine/core'
import { readSessionWallet } from '@ratchet/contracts/billing'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { moneyText } from '../money.ts'
import { Notice } from './notice.tsx'

/** Why work that costs money waits. Nothing is lost: it goes on by itself when there is credit. */
export function WaitingFor({ reason }: { readonly reason: string }): ReactNode {
  const slug = useWorkspaceSlug()
  const enabled = reasonAgainst('owner_admin', useWorkspace()) === null
  const wallet = useEndpoint(readSessionWallet, {}, { topics: ['wallet'], enabled }).data
  return (
    <Notice
      state="open"
      action={
        enabled && (
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/billing" params={{ slug }} />}>
            Billing
          </Anchor>
        )
      }
    >
      It waits: {reason}
      {wallet && <> {moneyText(wallet.available_nano, { unit: 'nano', exact: true })} is available.</>} What is done is
      kept.
    </Notice>
  )
}
